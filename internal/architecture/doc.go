// Package architecture has no code, only the test that keeps the layers of this module apart.
//
// Imports lead downward, from what is wired together to what is shared, and every folder at the top of the module has
// its place in one table, in rules_test.go. The rule that matters most is that host, the library that runs packages
// in production, never reaches the compiler, the bundler, the linter or the scaffolder, not even through
// another package.
//
// The table is about the code that is shipped. Tests may import what they need to make their fixtures.
package architecture
