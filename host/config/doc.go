// Package config reads the operator's config of a host, neuralis.host.json.
//
// # What it is for
//
// Everything about a host that is the operator's to decide is in this one file: which folders are searched for
// packages and how far those are trusted, who the users are and what they may do, the values of settings,
// limits and log levels. [Load] reads it into a [Config]; [Schema] is the same model as a JSON Schema, for
// editors.
//
// # What it guarantees
//
// A config is whole or it is not there: when anything in the file is wrong, Load returns no config, and all that
// is wrong with its line and column. A member that nobody reads is a fault too, since a misspelt word in this
// file would be a gate left open. What it returns is checked as a whole: users have roles that exist, a source
// is flagged by somebody who may, and no folder that others write to is a builtin. Paths are absolute.
//
// # What it refuses
//
// It reads no environment and no other file, opens no folder that it names, and holds no token in the clear:
// users are known by the SHA-256 of their tokens, or by the name of the variable that has one, which
// [NewVerifier] is handed a way to read.
package config
