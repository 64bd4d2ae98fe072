// Package typegen writes .neuralis/, the folder that makes an editor and a type checker understand a
// package: declarations of the sandbox, the arguments of each tool as TypeScript types
// generated from its schema, and a tsconfig.json for the author's own to extend.
//
// # The files
//
//	.neuralis/tsconfig.json       options that match the sandbox; "extends": "./.neuralis/tsconfig.json"
//	.neuralis/declarations/…      what build/guest declares: globals, and the modules authors import
//	.neuralis/tools.d.ts          the arguments of each tool, from tools/*.json
//	.neuralis/text.d.ts           imports of .txt, .md and other text files
//	.neuralis/check.ts            holds each handler against its schema, route and lifecycle types
//	.neuralis/dispatcher.ts       the entry of the bundle (build/dispatcher), for sandboxed packages
//
// For a tool named list_items, tools.d.ts exports ListItemsArgs, and ToolArgs<'list_items'> from
// "@neuralis/package-system/pdk-guest" is the same type. An author may use either, or annotate a handler by hand:
// check.ts, which nobody imports, asserts that every handler takes what its schema lets through, so
// that tsc finds the difference.
//
// # What it guarantees
//
// A schema of any content gives TypeScript that parses, and types that are never narrower than what
// the schema lets through for the keywords of draft-07 that types can express: a handler
// may rely on its type for valid arguments, with one exception. An object or array keyword without a "type" is
// taken to mean that type, as people write it, though by the letter it would also let every other
// type through. What types cannot express (patterns, ranges, not, if) stays in comments;
// what is not understood is unknown, never any.
//
// Files are written whole or not at all, and only when they change, so that editors and
// watchers see no change where there is none. A symbolic link in place of .neuralis that leads out of
// the package is refused.
package typegen
