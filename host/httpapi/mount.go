package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/openapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// mounted is what is mounted at a path, or around it; the closest one.
func (a *api) mounted(path string) (closest http.Handler) {
	length := -1
	for at, handler := range a.Mounts {
		if (path == at || strings.HasPrefix(path, at+"/")) && len(at) > length {
			closest, length = handler, len(at)
		}
	}
	return closest
}

// exchangeKey is the key, in a context, of the exchange that a mounted handler is a part of.
type exchangeKey struct{}

// Caller is who a request is from, for a handler that is mounted; ctx is the request's. In any other context it is nobody.
func Caller(ctx context.Context) session.Session {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x.who
	}
	return session.Session{}
}

// pass lets a mounted handler answer.
func (x *exchange) pass(handler http.Handler) {
	if x.api.answers(x) {
		handler.ServeHTTP(x.w, x.r.WithContext(context.WithValue(x.r.Context(), exchangeKey{}, x)))
	}
}

// OpenAPI serves the OpenAPI document of a host to those who are known: what each is shown. It is to be mounted.
func OpenAPI(h Host, o openapi.Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x, ok := r.Context().Value(exchangeKey{}).(*exchange)
		if !ok {
			http.Error(w, "this handler is to be mounted in the API", http.StatusInternalServerError)
			return
		}
		x.allow(func(x *exchange) {
			document, err := openapi.Document(h.Catalog(), x.who, o)
			if err != nil {
				panic(fmt.Errorf("the OpenAPI document cannot be written: %w", err))
			}
			x.sendTagged(document)
		}, http.MethodGet, http.MethodHead)
	})
}
