// Package build turns a package folder into what ships: dist/.
//
// A sandboxed package goes through the whole line, in this order, and each step is a package of
// its own:
//
//	src/**        dispatcher        bundle            wasm               dist/
//	tools, routes -> one entry  ->  one ES module ->  evaluated, frozen  -> package.wasm
//	lifecycle        module         and its map       in a snapshot         package.wasm.map
//	                                                                        routes.json
//
// A node package is compiled file by file to dist/src, and a declarative package (skills, docs)
// has nothing to build and is only checked.
//
// What it guarantees: dist/ is the last good build or the new one, whatever fails or is killed in
// between. The same sources give the same bytes. Every failure is a manifest.Diagnostic at a place
// in the author's files.
//
// What it refuses: a package whose manifest has an error is not built.
package build
