// Package memoryhost is a host for one package with nothing behind it: data lives in memory and is
// gone afterwards, there are no credentials, and the caller may do everything. It answers `neuralis
// call`, where an author wants to see what a handler does and nothing else.
//
// It decides nothing about trust, and is no model for a host that does.
package memoryhost
