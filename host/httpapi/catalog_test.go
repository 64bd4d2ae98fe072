package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/host/httpapi"
)

// files are a package of the project, one with faults, and one of bob's own.
func files() map[string]string {
	return map[string]string{
		"_packages/shop/package.json":            `{"name":"@acme/shop","version":"1.2.0","description":"Things & prices","neuralis":{"id":"shop","requires":{"accessFeature":"shop.use"},"features":[{"id":"shop.use"},{"id":"shop.write"}]}}`,
		"_packages/shop/tools/put.json":          `{"title":"Put","description":"Puts a thing","type":"object","properties":{"z":{"type":"string"},"a":{"const":1.0}},"x-neuralis":{"feature":"shop.write","annotations":{"category":"write","destructiveHint":true}}}`,
		"_packages/shop/skills/selling/SKILL.md": "---\nname: selling\ndescription: How to sell\n---\nSell.\n",
		"_packages/shop/dist/routes.json":        `{"version":1,"routes":[{"pattern":"list/:id","methods":["GET","PUT"],"feature":"shop.write","source":"src/routes/list.ts"}]}`,
		"_packages/broken/package.json":          `{"neuralis":`,
		"bob/diary/package.json":                 `{"version":"0.1.0","neuralis":{"id":"diary"}}`,
		"bob/diary/tools/secret_note.json":       `{"type":"object","x-neuralis":{"annotations":{"category":"read"}}}`,
		"bob/diary/tools/put.json":               `{"type":"object","x-neuralis":{"annotations":{"category":"read"}}}`,
	}
}

func TestCatalog(t *testing.T) {
	f := &fake{packages: scan(t, files())}
	h := httpapi.New(httpapi.Options{Host: f})
	get := func(token string) (text string, c httpapi.Catalog, byID map[string]httpapi.Package) {
		t.Helper()
		w := ask(h, token, "GET", "/api/catalog", "")
		if w.Code != 200 || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		if err := json.Unmarshal(w.Body.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		byID = map[string]httpapi.Package{}
		for _, p := range c.Packages {
			byID[p.ID] = p
		}
		return w.Body.String(), c, byID
	}

	text, _, ada := get(adas)
	for _, hidden := range []string{"diary", "secret_note", "bob"} {
		if strings.Contains(text, hidden) {
			t.Errorf("ada is told of %s: %s", hidden, text)
		}
	}
	for _, want := range []string{
		`"name":"@acme/shop","version":"1.2.0","description":"Things & prices"`, `"tier":"untrusted"`, `"location":"_packages/shop","scope":{"kind":"project"},"feature":"shop.use"`,
		`{"name":"put","title":"Put","description":"Puts a thing","inputSchema":{"title":"Put","description":"Puts a thing","type":"object","properties":{"z":{"type":"string"},"a":{"const":1.0}}},"annotations":{"destructiveHint":true,"category":"write"},"feature":"shop.write"}`,
		`"routes":[{"pattern":"list/:id","methods":["GET","PUT"],"feature":"shop.write"}]`, `"skills":[{"name":"selling","description":"How to sell"}]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if p := ada["broken"]; p.Status != "error" || p.Reason != "invalid-manifest" || p.Message == "" || len(p.Diagnostics) == 0 {
		t.Errorf("ada is told %+v", p)
	}

	text, _, bob := get(bobs)
	if p := bob["diary"]; p.Scope.Owner != "bob" || len(p.Tools) != 1 || p.Tools[0].Name != "secret_note" {
		t.Errorf("bob is told %+v", p) // his put is not the one that would be called
	}
	if p := bob["broken"]; p.Status != "error" || len(p.Diagnostics) > 0 || strings.Contains(text, `"diagnostics"`) {
		t.Errorf("bob is told %+v", p)
	}
}

func TestNoCatalog(t *testing.T) {
	w := ask(httpapi.New(httpapi.Options{Host: &fake{}}), bobs, "GET", "/api/catalog", "")
	if got := strings.TrimSpace(w.Body.String()); w.Code != 200 || got != `{"packages":[]}` {
		t.Errorf("got %d %s", w.Code, got)
	}
}

func TestCatalogIsKept(t *testing.T) {
	f := &fake{packages: scan(t, files())}
	h := httpapi.New(httpapi.Options{Host: f})
	tagOf := func(token string) string {
		w := ask(h, token, "GET", "/api/catalog", "")
		if w.Header().Get("Cache-Control") != "private, no-cache" || w.Header().Get("Vary") != "Authorization" {
			t.Errorf("the headers are %v", w.Header())
		}
		return w.Header().Get("ETag")
	}
	ada, bob := tagOf(adas), tagOf(bobs)
	if ada == "" || ada == bob || ada != tagOf(adas) {
		t.Errorf("the tags are %s and %s", ada, bob)
	}
	for _, test := range []struct {
		name, match string
		status      int
	}{
		{"the same", ada, 304},
		{"the same, weakly", "W/" + ada, 304},
		{"one of several", `"x",` + ada, 304},
		{"any", "*", 304},
		{"another's", bob, 200},
		{"none", "", 200},
		{"without quotes", strings.Trim(ada, `"`), 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := ask(h, adas, "GET", "/api/catalog", "", "If-None-Match", test.match)
			if w.Code != test.status || w.Header().Get("ETag") != ada || (w.Body.Len() == 0) != (test.status == 304) {
				t.Errorf("got %d %v", w.Code, w.Header())
			}
		})
	}
	whole := ask(h, adas, "GET", "/api/catalog", "")
	if w := ask(h, adas, http.MethodHead, "/api/catalog", ""); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Content-Length") != whole.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d %v", w.Code, w.Header())
	}
	f.packages = scan(t, nil)
	if tagOf(adas) == ada {
		t.Error("another catalog has the same tag")
	}
}
