// Package outbound sends the HTTP requests of sandboxed packages.
//
// What it guarantees: a request goes to a host that the package declared and the operator allows,
// or nowhere. Redirects are not followed; the guest follows them itself, so that every hop is asked
// about. A failing network is an error that the guest's code can catch, and never ends a call. A
// response is bounded in size, and a request ends with the call it is part of.
//
// What it leaves out: cookies, caches and proxies of the guest's choosing.
package outbound

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// DefaultMaxBytes is the largest response body that is taken where Client says nothing: 50 MiB.
const DefaultMaxBytes = 50 << 20

// The codes of an Error.
const (
	CodeNotAllowed = "host-not-allowed"
	CodeInvalid    = "invalid-request"
	CodeNetwork    = "network-error"
	CodeTooLarge   = "response-too-large"
)

// Error is a request that got no response.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Message }

// Client sends the requests of one package.
type Client struct {
	// AllowedHosts are patterns of host names: *.example.org stands for all names below it, and a
	// pattern without a port for every port. Nothing is allowed when it is empty.
	AllowedHosts []string
	// MaxBytes is the largest response body; 0 means DefaultMaxBytes.
	MaxBytes int64
	// Transport sends; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// Request is what the guest asks for: the operation http.request of the host port.
type Request struct {
	URL        string            `json:"url"`
	Method     string            `json:"method"`
	Headers    map[string]string `json:"headers"`
	BodyBase64 string            `json:"bodyBase64"`
}

// Response is what a server answered. Headers keep repeated names apart; names are in lower case.
type Response struct {
	Status     int         `json:"status"`
	Headers    [][2]string `json:"headers"`
	BodyBase64 string      `json:"bodyBase64"`
}

// Allowed reports whether a host name, with or without a port, may be asked.
func (c *Client) Allowed(host string) bool {
	host = strings.ToLower(host)
	name := host
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		name = host[:at]
	}
	for _, pattern := range c.AllowedHosts {
		pattern = strings.ToLower(pattern)
		for _, candidate := range []string{host, name} {
			// No host name holds a slash, so * matches any part of it.
			if ok, err := path.Match(pattern, candidate); candidate == pattern || err == nil && ok {
				return true
			}
		}
	}
	return false
}

// Do sends a request. Its error is an *Error.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	target, err := url.Parse(r.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, &Error{CodeInvalid, fmt.Sprintf("%q is not the URL of an HTTP server", r.URL)}
	}
	if !c.Allowed(target.Host) {
		return nil, &Error{CodeNotAllowed, fmt.Sprintf("the host %s is not allowed", target.Host)}
	}
	body, err := base64.StdEncoding.DecodeString(r.BodyBase64)
	if err != nil {
		return nil, &Error{CodeInvalid, "the request's body is not base64"}
	}
	method := r.Method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{CodeInvalid, err.Error()}
	}
	for name, value := range r.Headers {
		request.Header.Set(name, value)
	}
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	// A transport, unlike a client, follows nothing and keeps no cookies.
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, &Error{CodeNetwork, fmt.Sprintf("%s %s: %v", method, target.Redacted(), rootCause(err))}
	}
	defer response.Body.Close()
	most := c.MaxBytes
	if most == 0 {
		most = DefaultMaxBytes
	}
	received, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err != nil {
		return nil, &Error{CodeNetwork, fmt.Sprintf("%s %s: reading the response: %v", method, target.Redacted(), rootCause(err))}
	}
	if int64(len(received)) > most {
		return nil, &Error{CodeTooLarge, fmt.Sprintf("%s %s: the response is larger than %d bytes", method, target.Redacted(), most)}
	}
	answer := &Response{Status: response.StatusCode, Headers: [][2]string{}, BodyBase64: base64.StdEncoding.EncodeToString(received)}
	for name, values := range response.Header {
		for _, value := range values {
			answer.Headers = append(answer.Headers, [2]string{strings.ToLower(name), value})
		}
	}
	slices.SortStableFunc(answer.Headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return answer, nil
}

// rootCause leaves out what the caller has already said.
func rootCause(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
