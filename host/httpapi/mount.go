package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/openapi"
	"github.com/neuralis-dev/neuralis/host/session"
)

// mounted is what is mounted at a path, or around it, and where that is; the closest one.
func (a *api) mounted(path string) (closest http.Handler, place string) {
	length := -1
	for at, handler := range a.Mounts {
		if (path == at || strings.HasPrefix(path, at+"/")) && len(at) > length {
			closest, place, length = handler, at, len(at)
		}
	}
	return closest, place
}

func (a *api) isMounted(path string) bool {
	handler, _ := a.mounted(path)
	return handler != nil
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

// pass lets the mounted handler answer. It may answer bit by bit and for as long as it likes, but no client may let
// it wait with a bit.
func (x *exchange) pass() {
	if x.api.answers(x) {
		handler, place := x.api.mounted(x.path)
		x.mount, x.w.bound = place, x.bound
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
		if x.path != x.mount {
			x.fail(http.StatusNotFound, dispatch.CodeNotFound, "there is nothing here")
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
