package ports

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/session"
)

// mayCall says why the package may not call others.
func (p *ports) mayCall(what string) error {
	switch {
	case !p.Limits.CallRoute:
		return refuse(codeDenied, "%s is for packages that are trusted; the package %s is %s", what, p.ID, p.Tier)
	case p.Others == nil:
		return refuse(codeUnsupported, "this host has no other packages to call")
	}
	return nil
}

// asPackage is the caller on whose behalf the package runs, with the package in between.
func (p *ports) asPackage() session.Session {
	who := p.caller.Session
	who.CallerID, who.CallerTrust = p.ID, p.Tier
	return who
}

// callRoute calls a route of any package.
func (p *ports) callRoute(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Query   map[string]string `json:"query"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Base64  string            `json:"bodyBase64"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	if err := p.mayCall("callRoute"); err != nil {
		return nil, err
	}
	path, rawQuery, _ := strings.Cut(r.Path, "?")
	values := url.Values{}
	for name, value := range r.Query {
		values.Set(name, value)
	}
	if rawQuery != "" && len(values) > 0 {
		rawQuery += "&"
	}
	call := dispatch.Request{Method: strings.ToUpper(r.Method), Path: path, RawQuery: rawQuery + values.Encode(), Header: http.Header{}, Body: []byte(r.Body)}
	for name, value := range r.Headers {
		call.Header.Set(name, value)
	}
	if r.Base64 != "" {
		body, err := base64.StdEncoding.DecodeString(r.Base64)
		if err != nil {
			return nil, refuse(codeInvalid, "the body is not base64: %v", err)
		}
		call.Body = body
	}
	response := p.Others.CallRoute(ctx, p.asPackage(), call)
	answer := map[string]any{"status": response.Status}
	headers := make(map[string]string, len(response.Header))
	for name, all := range response.Header {
		headers[strings.ToLower(name)] = strings.Join(all, ", ")
	}
	answer["headers"] = headers
	if utf8.Valid(response.Body) {
		answer["body"] = string(response.Body)
	} else {
		answer["bodyBase64"] = base64.StdEncoding.EncodeToString(response.Body)
	}
	return answer, nil
}

// callAPI calls a method of another package's API.
func (p *ports) callAPI(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Package string           `json:"package"`
		Method  string           `json:"method"`
		Args    json.RawMessage  `json:"args"`
		Session *session.Session `json:"session"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	if err := p.mayCall("getPackageApi"); err != nil {
		return nil, err
	}
	// The session that counts is the call's. The guest says it again so that its author has to have one in hand, as
	// init and most hooks have not.
	own := p.caller.Session
	switch {
	case own.IsZero() || r.Session == nil:
		return nil, refuse(codeDenied, "getPackageApi(%q) needs the session it acts for", r.Package)
	case r.Session.UserID != own.UserID || r.Session.ProjectID != own.ProjectID || r.Session.AgentID != own.AgentID:
		return nil, refuse(codeDenied, "the session given to getPackageApi(%q) is not that of the call", r.Package)
	}
	result, fault := p.Others.CallAPI(ctx, p.asPackage(), r.Package, r.Method, r.Args)
	if fault != nil {
		return nil, fault
	}
	return result, nil
}
