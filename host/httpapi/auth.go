package httpapi

import (
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/dispatch"
)

// maxToken is the longest token that is looked at.
const maxToken = 4 << 10

// What a client is told that has no business here (RFC 6750, section 3).
const (
	challenge        = `Bearer realm="neuralis"`
	challengeInvalid = challenge + `, error="invalid_token", error_description="the token is nobody's"`
	challengeRequest = challenge + `, error="invalid_request", error_description="there must be one Authorization header, with one token"`
)

// authenticated answers a request if it is known who it is from.
func (a *api) authenticated(x *exchange, answer func(*exchange)) {
	if a.Identify != nil {
		who, err := a.Identify(x.r)
		if err != nil {
			x.fail(http.StatusBadRequest, CodeInvalidRequest, err.Error())
			return
		}
		x.who = who
		answer(x)
		return
	}
	refuse := func(status int, challenge string, code dispatch.Code, message string) {
		x.w.Header().Set("WWW-Authenticate", challenge)
		x.fail(status, code, message)
	}
	headers := x.r.Header.Values("Authorization")
	if len(headers) == 0 {
		refuse(http.StatusUnauthorized, challenge, CodeUnauthorized, "a token is needed: Authorization: Bearer …")
		return
	}
	if len(headers) > 1 {
		refuse(http.StatusBadRequest, challengeRequest, CodeInvalidRequest, "there is more than one Authorization header")
		return
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer") || token == "":
		refuse(http.StatusUnauthorized, challenge, CodeUnauthorized, "a token is needed: Authorization: Bearer …")
		return
	case strings.ContainsAny(token, " \t"):
		// Config lets tokens have other characters than those of RFC 6750. A space would be a second token.
		refuse(http.StatusBadRequest, challengeRequest, CodeInvalidRequest, "there is more than one token in the Authorization header")
		return
	}
	if len(token) <= maxToken {
		if who, known := a.Host.Authenticate(token); known {
			x.who = who
			answer(x)
			return
		}
	}
	refuse(http.StatusUnauthorized, challengeInvalid, CodeUnauthorized, "the token is nobody's")
}

// admin reports whether a request is an admin's. If not, it is answered.
func (a *api) admin(x *exchange) bool {
	if a.Host.Admin(x.who) {
		return true
	}
	x.fail(http.StatusForbidden, CodeForbidden, "only admins may do this")
	return false
}

// maxMetrics is how long metrics are at most, going by what they are of.
const maxMetrics = 32 << 20

// metrics answers /metrics.
func (a *api) metrics(x *exchange) {
	x.allow(func(x *exchange) {
		if a.admin(x) {
			x.bound(maxMetrics)
			a.Metrics.ServeHTTP(x.w, x.r)
		}
	}, http.MethodGet, http.MethodHead)
}

// rescan answers POST /api/rescan.
func (a *api) rescan(x *exchange) {
	if !a.admin(x) {
		return
	}
	err := a.Host.Rescan(x.r.Context())
	switch {
	case err == nil:
		x.send(http.StatusNoContent, nil)
	case cancelled(x.r.Context()):
		x.fail(dispatch.CodeCancelled.Status(), dispatch.CodeCancelled, "the client went away")
	case a.Host.Ready() != nil:
		x.fail(http.StatusServiceUnavailable, CodeUnavailable, err.Error())
	default:
		a.Log.Error("looking for packages failed", "request", x.id, "error", err)
		x.fail(http.StatusInternalServerError, dispatch.CodeInternal, "looking for packages failed: "+err.Error())
	}
}
