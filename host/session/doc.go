// Package session is who a call is made for.
//
// A [Session] travels with each call from the edge (a bearer token, a client, another package) through every
// gate to the guest, which sees it as ctx.session. It is a value: whoever holds one cannot change the one that
// somebody else holds, as long as Features is not written to in place; [Session.With] makes a copy.
//
// The package decides nothing about who may have which session. That is the operator's config for users and
// package host for calls between packages.
package session
