// Package httpapi is the HTTP API of a host.
//
// # What it is for
//
// [New] makes an [http.Handler] of a host: routes of packages below /api/packages, calls of tools, the catalog, and what
// those need who run a server: health, readiness, metrics, and a line in a log for each request. [Server] puts it in
// an [http.Server] whose limits fit. docs/http.md is the manual.
//
//	request ──► id, log, panics ──► token ──► where ──► dispatch ──► package
//	                                  │         │
//	                                 401     404, 405
//
// # What it guarantees
//
// Everything below /api, and /metrics, is for those who come with a token of the host's, and nobody else learns
// what there is. Tokens are neither logged nor sent back, nor handed to a package.
//
// What a package gets is the request as it was sent: the path is neither decoded nor cleaned, and no request is
// redirected. Where a request could be read in two ways (two Authorization headers, a name that is twice in a JSON
// object) it is refused.
//
// All errors of the host have one shape, {"error": {"code", "message"}}, with the codes of package dispatch and those
// of this package.
//
// Whoever is slow costs little: reading a body and sending an answer have times that depend on the lengths, and a body
// that is too long is not read to its end. Whoever goes away ends the call.
//
// # Packages share an origin
//
// To a browser, the pages of all packages and of the host come from one place, and could act for each other: one page
// could read what another one shows and, behind a proxy that puts tokens into requests, do all that the user may do.
// Answers of packages that are not first-party therefore come with Content-Security-Policy: sandbox, which gives each
// such page an origin of its own and runs no scripts in it, and without headers that reach beyond the answer: cookies,
// login prompts, orders to browsers about the whole origin and to reverse proxies about files of theirs; see [reaching].
// First-party packages are trusted with everything, and so with these. No answer is taken for another type than
// it says it has.
//
// # What it refuses
//
// It speaks no TLS and has no login. There are no cookies, so that a page elsewhere cannot make a browser call with
// somebody's rights, and no CORS, so that it cannot call with a token either; a reverse proxy can add both. It knows
// nothing of how calls are gated: package dispatch does.
package httpapi
