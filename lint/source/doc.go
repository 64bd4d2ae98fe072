// Package source reads TypeScript and JavaScript for the linter: a tree with places, names with what they are bound to,
// imports and exports. It knows nothing of rules.
//
// # How a file is read
//
//	src/x.ts -> esbuild takes the types off -> a JavaScript parser -> Tree -> [Node]
//	                    └── source map ────────────────────────────> the author's place
//
// esbuild is what the builder uses, so what it refuses here no build would take. Each file is read by itself: nothing is
// bundled, resolved or run, and a broken file hides nothing in another.
//
// The parser gives no places. They come back in two ways. Names of members, literals and names at their first use are
// pieces of the text that was parsed, so where such a piece lies in memory is where it stands. All other uses of a name are
// found in the tokens of the text, which are walked in step with the tree: both are in the order of the source. The
// literals of the first kind keep the two in step.
//
// # What is guaranteed
//
// Columns are the author's, counted in UTF-16 code units. A name is bound to the declaration that it means under the scopes
// of the language; a name that no scope of the file declares is global.
package source
