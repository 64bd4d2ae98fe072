// Package toolschema compiles the JSON Schemas of tools, in the one way that counts: a host refuses calls of a tool
// whose schema does not compile here, so a build says so before.
//
// A schema without $schema is read as draft-07; drafts 4 to 2020-12 are known. Formats are checked in all of them.
// Patterns are regular expressions of ECMAScript as with the flag u. References lead to places in the schema itself:
// nothing is fetched from files or from the network.
//
// What is compiled is foreign, and so are the values that are checked. Compiling and checking have bounds, whatever the
// two look like, and neither panics.
//
// [Check] is for those who have the file: it says where in it the fault is.
package toolschema
