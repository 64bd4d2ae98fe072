// Package credentials keeps the secrets that packages ask for, encrypted.
//
// # Where
//
// Each credential is a file of its own, encrypted with age to the key of the host:
//
//	{globalDir}/credentials/agent/<agent>/<id>.age
//	{globalDir}/credentials/project/<project>/<id>.age
//	{globalDir}/credentials/user/<user>/<id>.age
//	{globalDir}/credentials/global/<id>.age
//
// with names encoded as package data encodes ids. Files are replaced as a whole, so any number of processes may
// write at once, and one file that is broken is one credential that is broken. Inside, each names its scope,
// owner and id again: a file that was moved to the place of another is not taken for it.
//
// The key file is one that age-keygen could have made. It is made with the first credential, and never again while
// there are credentials that it is needed for. On systems with permissions it must be readable by its owner alone,
// who must be the host's user or root; otherwise nothing is read and nothing is written.
//
// # Who gets what
//
// A package gets the credentials that its manifest declares, and no other. Of the scopes that the declaration allows, the
// nearest with a value counts: agent, project, user, global. A credential may name the packages that get
// it; to others it is not there.
//
// # What a package is told
//
// A value, or nothing. [Resolver.Resolve] never fails: a key with wrong permissions and a file that does not decrypt are told to
// the operator through [Options].OnFault, and to the package there is no credential. A broken
// file is not passed over for a scope further away: whoever entered a narrow key must not find a wide one
// used. Nothing here reads the environment.
//
// Values are of type [Secret], which prints as a mask wherever it ends up by mistake.
package credentials
