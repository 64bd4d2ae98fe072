// Package lint checks packages before anybody ships them: what a host would refuse, demote or silently ignore is said
// here first.
//
// # What it is for
//
// [Run] loads packages, runs every rule over each of them and returns what it found as the one type of diagnostic that the
// toolchain has. What package manifest reports while it loads is among it. [Rules] are the rules, each with a bad and a good
// example, which are its tests.
//
// # How it works
//
//	folder -> manifest.Load -> pass: JSON with places, sources as trees (lint/source) -> rules -> settings -> ignores -> report
//
// A rule is an entry in a table and a function over a [pass]; it reports places and knows nothing of severities, ignores or
// output. Package lint/format writes a report for other programs.
//
// # What it guarantees
//
// Findings are complete, ordered and the same in each run: by package, file, line, column and rule, whatever the number of
// processors. One broken file hides nothing in another. Nothing of a package is run, and nothing outside of its folder is read
// but the settings of the project that it is in. What no rule can be certain of is a warning.
//
// # What it refuses
//
// It does not import the builder or the host. Where both say the same thing as a rule, they share the rule's id.
package lint
