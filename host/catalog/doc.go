// Package catalog finds the packages of a host, and says who may see which.
//
// # What it is for
//
// [Scan] reads all roots together (the operator's builtins, the project's _packages folder, local sources that are
// flagged) and returns a [Catalog]: a snapshot that never changes. Everything that asks what there is (lists,
// dispatch, MCP, routes) asks a catalog with the session of the caller; a change on disk makes the next
// catalog, and [Diff] says which packages have to be loaded again for it.
//
// # What it guarantees
//
// A scan always ends in a catalog. A package that cannot be used is an entry with a reason; it takes nothing
// else down, whatever is wrong with it.
//
// Trust comes from the root that a folder was found under and from the operator, never from the folder. A
// folder that was seen with one tier is never given a higher one by a later scan, also when the package in it has
// become another.
//
// Nothing is executed. Discovery lists the code of packages and computes hashes of it; this package imports
// nothing that could run it. [trust.ModeFull] is a permission for the runtime that comes later.
//
// What belongs to a user or an agent is there for its owner alone. For everybody else it does not exist: it
// is in no list and no answer, its id is not taken, and no diagnostic that others see speaks of it.
//
// # Which package has an id
//
// One builtin of an id is the package of that id, and so are its claims to the @neuralis/ scope: packages of other
// roots are refused as reserved. Of the packages of a project, drop zone and sources alike, that have the
// same id, none is taken: choosing one would let whoever can add a folder replace a package, its data and the
// trust that the operator put in its id. A package of a user or an agent gives way to one of the project, as it is
// the owner alone who could be misled. Where a user and an agent bring the same id into one session, the user's
// is there. Tools are found by their names in the same order of standing; see [Catalog.Tool].
//
// # What it refuses
//
// It does not watch folders, start packages or know features of callers: a package whose features a caller lacks
// is there for them, and dispatch says that it is closed.
package catalog
