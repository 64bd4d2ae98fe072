package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/neuralis-dev/neuralis/host/httpapi"
)

// A server makes the API of its host, and listens with the limits that are right for it.
func Example() {
	server := httpapi.Server(httpapi.New(httpapi.Options{Host: &fake{}}), nil)

	call := httptest.NewRequest(http.MethodPost, "/api/calls", strings.NewReader(`{"tool": "compare", "arguments": {}}`))
	call.Header.Set("Authorization", "Bearer bobs-token-0123456789")
	w := httptest.NewRecorder()
	server.Handler.ServeHTTP(w, call)
	fmt.Println(w.Code, w.Body)
	// Output: 200 {"content":[{"type":"text","text":"a < b"}],"_meta":{"for":"programs"}}
}

func ExampleParseCall() {
	call, err := httpapi.ParseCall([]byte(`{"tool": "catalog_list", "arguments": {"query": "lamp"}}`))
	fmt.Println(call.Tool, string(call.Arguments), err)
	_, err = httpapi.ParseCall([]byte(`{"tool": "catalog_list", "tool": "catalog_put"}`))
	fmt.Println(err)
	// Output:
	// catalog_list {"query": "lamp"} <nil>
	// "tool" is there twice
}
