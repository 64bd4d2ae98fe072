// Package trust says how far a package is trusted, and what follows from that.
//
// # What it is for
//
// Three questions are answered here and nowhere else: where a package came from ([Provenance]), which tier
// that gives it ([Assign]), and what a tier may do ([DefaultLimits], [Demotion], [Reserved]). Discovery asks
// when it reads a root, dispatch when it makes a call; since both ask the same functions, they cannot
// disagree.
//
// # What it guarantees
//
// Trust comes from the operator alone. The host knows which root it found a package under, and the operator
// may say of a package outside of the builtins that it is trusted; nothing that a package says about itself
// is an argument of any function here. No override makes a package first-party, and each answer about
// something unknown is the careful one: an unknown tier has the limits of an untrusted package.
//
// # What it refuses
//
// It reads no files and keeps no state. That a package which is loaded again never rises is a matter between
// two scans, and is kept by package catalog with the help of [Lower].
package trust
