package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// packages answers requests to routes of packages.
func (a *api) packages(x *exchange) {
	path := strings.TrimPrefix(x.path, pathPackages)
	if strings.HasPrefix(path, "/") { // which a dispatcher would not see
		x.fail(http.StatusNotFound, dispatch.CodeNotFound, "there is nothing here")
		return
	}
	body, ok := x.body()
	if !ok {
		return
	}
	header := x.r.Header.Clone()
	header.Set(requestIDHeader, x.id)
	response := a.Host.CallRoute(x.r.Context(), x.who, dispatch.Request{
		Method: x.r.Method, Path: path, RawQuery: x.r.URL.RawQuery, Header: header, Body: body,
	})
	if response.Err == nil && (response.Status < 200 || response.Status > 599) {
		x.fail(dispatch.CodeHandlerError.Status(), dispatch.CodeHandlerError, fmt.Sprintf("the package answered with the status %d, which is none", response.Status))
		return
	}
	x.take(response)
	x.send(response.Status, response.Body)
}

// take puts the headers of an answer into the response, as far as they are the package's to say.
func (x *exchange) take(response dispatch.Response) {
	header := x.w.Header()
	own := response.Err != nil || response.Tier == trust.FirstParty
	for name, values := range response.Header {
		name = http.CanonicalHeaderKey(name)
		if hosts[name] || !own && reaching(name) {
			continue
		}
		for _, value := range values {
			if !strings.ContainsFunc(value, control) { // nor does package http send names that are none
				header.Add(name, value)
			}
		}
	}
	if response.Err != nil {
		header.Set("Cache-Control", "no-store")
	}
	if !own {
		header.Add("Content-Security-Policy", "sandbox") // of several policies, each holds
	}
	if len(response.Body) > 0 && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/octet-stream") // or the server would guess
	}
}

// control reports whether a character cannot be in the value of a header.
func control(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// hosts are the headers of responses that are the host's alone.
var hosts = map[string]bool{
	requestIDHeader: true, "X-Content-Type-Options": true, "Content-Length": true, "Date": true,
	// Of the connection (RFC 9110, 7.6.1).
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

// reaching reports whether a header of a response has effects beyond that response, which only first-party packages may
// have:
//
//   - on the browser's user: cookies, which no package is ever sent and which others on the domain would get, and
//     prompts for passwords;
//   - on the whole origin: policies that browsers remember, and reports about pages of others;
//   - on other origins: leave to read what the user may read here;
//   - on a reverse proxy in front: files and answers that it is told to send instead.
func reaching(name string) bool {
	switch name {
	case "Set-Cookie", "Set-Cookie2", "Www-Authenticate", "Proxy-Authenticate", "Set-Login",
		"Strict-Transport-Security", "Public-Key-Pins", "Expect-Ct", "Clear-Site-Data", "Alt-Svc", "Accept-Ch", "Critical-Ch",
		"Service-Worker-Allowed", "Origin-Agent-Cluster", "Nel", "Report-To", "Reporting-Endpoints",
		"X-Sendfile", "X-Lighttpd-Send-File", "X-Reproxy-Url", "X-Reproxy-File":
		return true
	}
	for _, family := range []string{"Access-Control-", "X-Accel-", "X-Litespeed-", "X-Sendfile-", "Surrogate-"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}
