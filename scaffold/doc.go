// Package scaffold starts packages and adds to them: it is what `neuralis new`
// and `neuralis add` do, without the flags and the questions.
//
// # What it guarantees
//
// Nothing is ever overwritten. [Create] refuses a folder that has anything in it but a
// repository, and [Add] refuses when any of the files it would write exists; both check
// before they write and write with exclusive creation, so a file that appears in
// between is safe too.
//
// A new package is there whole or not at all: it is written beside its place and
// renamed. Where the folder exists already and is empty (it may be somebody's
// working directory, so it cannot be replaced), its entries are renamed into it
// one by one, the manifest last: what was interrupted is no package yet.
//
// package.json is changed by adding to it only, with every comment, the order of
// keys and the indentation kept; see internal/jsonedit.
//
// # What it refuses
//
// Names that would be refused later: ids, tool names, route patterns and features
// are checked with the rules of package manifest, and the error proposes the
// nearest name that would do.
//
// Problems that the user can solve are [*NameError], [*ExistsError] and
// [*RefusedError]; anything else is a fault of the file system.
package scaffold
