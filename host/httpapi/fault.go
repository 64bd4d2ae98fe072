package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/dispatch"
)

// The codes of errors that only requests over HTTP can have. All others are those of package dispatch, and have
// the statuses that it gives them.
const (
	// CodeInvalidRequest: the request is not such as the API takes.
	CodeInvalidRequest dispatch.Code = "invalid-request"
	// CodeUnauthorized: the request has no token, or one that is nobody's.
	CodeUnauthorized dispatch.Code = "unauthorized"
	// CodeForbidden: the request is for admins.
	CodeForbidden dispatch.Code = "forbidden"
	// CodeRequestTimeout: the body of the request took too long.
	CodeRequestTimeout dispatch.Code = "request-timeout"
	// CodeUnavailable: the host is starting or stopping.
	CodeUnavailable dispatch.Code = "unavailable"
)

const contentTypeJSON = "application/json; charset=utf-8"

// fail answers with an error, in the shape that those of package dispatch have.
func (x *exchange) fail(status int, code dispatch.Code, message string) {
	x.sendJSON(status, map[string]*dispatch.Error{"error": {Code: code, Message: message}})
}

// invalid answers a request that makes no sense.
func (x *exchange) invalid(status int, message string) { x.fail(status, CodeInvalidRequest, message) }

// encode writes JSON that is not meant for HTML.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// clip shortens what others wrote.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// The host's own documents.
type state struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// health says that the process lives.
func (a *api) health(x *exchange) { x.sendJSON(http.StatusOK, state{Status: "ok"}) }

// ready says whether calls are answered.
func (a *api) ready(x *exchange) {
	if err := a.Host.Ready(); err != nil {
		x.sendJSON(http.StatusServiceUnavailable, state{Status: "unavailable", Reason: err.Error()})
		return
	}
	x.sendJSON(http.StatusOK, state{Status: "ready"})
}
