// Package jsonmodel makes a Go struct the one description of a JSON document.
//
// # What it is for
//
// A format that people write by hand is wanted three times: as Go values by the code that uses it, as checks
// with good messages by the loader, and as a JSON Schema with descriptions by editors. Written three times,
// the three drift apart. [Of] reads the struct once, and the [Model] it returns does all three:
// [Model.Decode] checks a document and fills the struct, [Model.Schema] renders the JSON Schema, and
// [Model.Unknown] finds the members that the struct does not have. The descriptions in the schema are the Go
// comments of the fields; [Comments] reads them from the source.
//
// # The tags
//
// The json tag gives a member its name; the model tag, a comma-separated list, says what it must be:
//
//	required          the member must be there
//	nonempty          a string or array with something in it
//	enum=a|b          one of these strings
//	format=name       a string of this [Format]
//	kinds=a|b         for json.RawMessage: object, array, string, number, boolean
//	unique            an array without repeated elements
//	min=n, max=n      bounds of a number, inclusive
//	keys=name         the [Format] of the names of a map
//
// On slices and maps, enum, format, kinds and bounds are about the elements. A blank field states what is
// required together:
//
//	_ struct{} `model:"when=type:mcp,require=entry.command"`
//
// # What it guarantees
//
// Decode and the schema accept the same documents. Members that the struct does not have are allowed in
// both, so that an older toolchain reads the documents of a newer one. An element of an array or map that
// has a fault is left out of what is decoded and everything around it is kept.
package jsonmodel
