// Package limit counts calls over a sliding window of one minute.
//
// # What it is for
//
// An operator says how many calls of a kind a package answers in a minute. Here is counted, for each package and
// kind, and decided.
//
// # What it guarantees
//
// The window slides: in no stretch of one minute, wherever it begins, are more calls let through than the limit
// says, however many goroutines ask at once. A refusal says how long to wait, to the nanosecond: the very moment
// at which the oldest call leaves the window. A refused call is not counted, so that a caller who keeps asking is
// let through as soon as there is room.
//
// Memory is bounded by what was let through: eight bytes for each call in the window, never more than the limit
// asks for, and nothing for a package that nobody called for a minute.
//
// # What it refuses
//
// It keeps no time of its own. The clock is a parameter, and one that goes back is taken to stand still.
package limit
