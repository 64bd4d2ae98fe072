// Package manifest is the vocabulary that every part of the toolchain shares: what a Neuralis package is,
// what it may say about itself, and how a fault in it is reported.
//
// # What it is for
//
// [Load] reads a package folder (its manifest, tool schemas, skills and the names of everything else it
// contributes) into a [Package]. The builder, the host, the linter and the scaffolder all start from that
// value, so they cannot disagree about what a package holds. [RouteTable] is the list of routes a build
// leaves in dist/routes.json, and [Router] is the one matcher that serves it. [ManifestSchema] and
// [ToolSchema] are the same model as JSON Schema documents, for editors.
//
// # What it guarantees
//
// Foreign bytes never make it panic, hang or use memory out of proportion. Each fault is a [Diagnostic]
// with the file, line and column it was found at, and one fault hides nothing else: a broken tool file
// takes only that tool away. Reading never leaves the package folder, whatever its symbolic links say.
// The loader and the JSON Schemas are driven by one model and accept the same documents.
//
// # What it refuses
//
// It decides nothing that depends on who runs the package. Trust, reserved ids and clashes between
// packages belong to the host; taste, consistency and everything else that does not make a package
// unloadable belongs to the linter. It never executes anything a package ships.
//
// This package and those below it import nothing else of this module.
package manifest
