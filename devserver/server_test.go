package devserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/config"
)

// studio is a server with a project that somebody edits, which is reached over HTTP.
type studio struct {
	testing.TB
	dir    string
	server *Server
	events *Events
	url    string
}

// newStudio starts a server as neuralis dev does: it watches, builds and answers. set changes what it is started with.
func newStudio(t testing.TB, files map[string]string, set ...func(*Options)) *studio {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &studio{TB: t, dir: dir, events: NewEvents(nil)}
	s.put(files)
	s.open(set...)
	return s
}

// open starts a server of the studio's folder.
func (s *studio) open(set ...func(*Options)) {
	s.Helper()
	opts := Options{Events: s.events, CacheDir: shared.cache, Show: filepath.Base}
	file := filepath.Join(s.dir, config.File)
	read := func() (*config.Config, error) {
		c, diags := config.Load(file)
		if c == nil {
			return nil, diags
		}
		return c, nil
	}
	var err error
	if _, missing := os.Stat(file); missing == nil {
		opts.ConfigFile, opts.LoadConfig = file, read
		opts.Config, err = read()
	} else {
		opts.Config, err = config.Default(s.dir)
	}
	if err != nil {
		s.Fatal(err)
	}
	for _, change := range set {
		change(&opts)
	}
	if s.server, err = New(s.Context(), opts); err != nil {
		s.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.server.Run(ctx) }()
	web := httptest.NewServer(s.server.Handler(Guard{}))
	s.url = web.URL
	s.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			s.Error(err)
		}
		web.CloseClientConnections() // streams last as long as clients do
		web.Close()
		if err := s.server.Close(context.Background()); err != nil {
			s.Error(err)
		}
	})
}

// put writes files; what is to be empty is removed.
func (s *studio) put(files map[string]string) {
	s.Helper()
	(&desk{TB: s.TB, dir: s.dir}).put(files)
}

// after does something, and returns the first event from then on that is wanted.
func (s *studio) after(do func(), wanted func(Event) bool) Event {
	s.Helper()
	_, next, stop := s.events.Subscribe(s.events.Last())
	defer stop()
	do()
	// No assertion: a test that waits for what does not come says what came instead.
	patience := time.NewTimer(20 * time.Second)
	defer patience.Stop()
	var seen []Event
	for {
		select {
		case event := <-next:
			if wanted(event) {
				return event
			}
			seen = append(seen, event)
		case <-patience.C:
			s.Fatalf("there is no such event, but %+v", seen)
		}
	}
}

// save writes files, and waits for an event of a kind.
func (s *studio) save(kind Kind, files map[string]string) Event {
	s.Helper()
	return s.after(func() { s.put(files) }, func(e Event) bool { return e.Kind == kind })
}

// ask sends a request, and returns the status and the body of the answer.
func (s *studio) ask(method, path, body string, header ...string) (int, string) {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// call calls a tool, and returns its text or the code of what went wrong.
func (s *studio) call(tool string, header ...string) string {
	s.Helper()
	_, body := s.ask(http.MethodPost, "/api/tools/"+tool, "{}", header...)
	return answered(s.TB, body)
}

func answered(t testing.TB, body string) string {
	t.Helper()
	var result struct {
		Content           []struct{ Text string }
		StructuredContent struct{ Error struct{ Code string } }
	}
	if err := json.Unmarshal([]byte(body), &result); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if code := result.StructuredContent.Error.Code; code != "" {
		return code
	}
	return result.Content[0].Text
}

func shop(files map[string]string) map[string]string {
	all := map[string]string{"_packages/shop/package.json": wasmPackage, "_packages/shop/src/tools/a.ts": answering("one")}
	for name, text := range files {
		all[name] = text
	}
	return all
}

func TestSaveIsLive(t *testing.T) {
	s := newStudio(t, shop(nil))
	if got := s.call("a"); got != "one" {
		t.Fatalf("%q is answered", got)
	}
	// Once it is told, it answers.
	for i := range 5 {
		want := fmt.Sprint("answer ", i)
		s.save(KindBuilt, map[string]string{"_packages/shop/src/tools/a.ts": answering(want)})
		if got := s.call("a"); got != want {
			t.Errorf("%q is answered, not %q", got, want)
		}
	}
	// Editors write beside, and rename.
	s.after(func() {
		s.put(map[string]string{"_packages/shop/src/tools/.a.ts.swp": answering("renamed")})
		if err := os.Rename(filepath.Join(s.dir, "_packages/shop/src/tools/.a.ts.swp"), filepath.Join(s.dir, "_packages/shop/src/tools/a.ts")); err != nil {
			t.Fatal(err)
		}
	}, func(e Event) bool { return e.Kind == KindBuilt })
	if got := s.call("a"); got != "renamed" {
		t.Errorf("%q is answered", got)
	}
}

func TestBrokenSaveTakesNothingAway(t *testing.T) {
	s := newStudio(t, shop(nil))
	problems := func() string {
		_, body := s.ask(http.MethodGet, PathProblems, "")
		return strings.TrimSpace(body)
	}
	for _, broken := range []struct {
		name, file, good, bad, rule string
		mended                      Kind
	}{
		{"code", "_packages/shop/src/tools/a.ts", answering("one"), "export default () => {", "syntax-error", KindBuilt},
		{"the manifest", "_packages/shop/package.json", wasmPackage, `{"name":`, "", KindMended},
		{"a schema", "_packages/shop/tools/a.json", `{"type":"object","x-neuralis":{"annotations":{"category":"read"}}}`, `{"type":`, "", KindMended},
	} {
		event := s.save(KindBroken, map[string]string{broken.file: broken.bad})
		if len(event.Diagnostics) == 0 || event.Diagnostics[0].Line == 0 || event.Diagnostics[0].Frame == "" || broken.rule != "" && event.Diagnostics[0].Rule != broken.rule {
			t.Errorf("%s: the event says %+v", broken.name, event.Diagnostics)
		}
		if got := s.call("a"); got != "one" {
			t.Errorf("%s: %q is answered", broken.name, got)
		}
		if got := problems(); !strings.Contains(got, `"dir":"shop"`) || !strings.Contains(got, event.Diagnostics[0].Rule) {
			t.Errorf("%s: the problems are %s", broken.name, got)
		}
		s.save(broken.mended, map[string]string{broken.file: broken.good})
		if got := problems(); got != `{"packages":[]}` {
			t.Errorf("%s: the problems are %s afterwards", broken.name, got)
		}
	}
}

// What no code depends on is taken up without a build.
func TestEditsWithoutABuild(t *testing.T) {
	s := newStudio(t, shop(map[string]string{
		"_packages/shop/tools/a.json":         `{"title":"a","description":"One","type":"object","x-neuralis":{"annotations":{"category":"read"}}}`,
		"_packages/shop/skills/sell/SKILL.md": "---\nname: sell\ndescription: sells\n---\nSell.",
	}))
	before := s.events.Last()
	for _, edit := range []struct{ file, text, seen string }{
		{"_packages/shop/tools/a.json", `{"title":"a","description":"Two","type":"object","x-neuralis":{"annotations":{"category":"read"}}}`, `"description":"Two"`},
		{"_packages/shop/skills/sell/SKILL.md", "---\nname: sell\ndescription: sells more\n---\nSell.", `"description":"sells more"`},
		{"_packages/shop/package.json", strings.Replace(wasmPackage, `"version"`, `"description":"sells","version"`, 1), `"description":"sells"`},
	} {
		s.save(KindChanged, map[string]string{edit.file: edit.text})
		if _, body := s.ask(http.MethodGet, "/api/catalog", ""); !strings.Contains(body, edit.seen) {
			t.Errorf("after %s: the catalog is %s", edit.file, body)
		}
	}
	missed, _, stop := s.events.Subscribe(before)
	stop()
	if slices.ContainsFunc(missed, func(e Event) bool { return e.Kind == KindBuilt }) {
		t.Errorf("something was built: %+v", missed)
	}
}

func TestPackagesComeAndGo(t *testing.T) {
	s := newStudio(t, map[string]string{"README.md": "A project to be."})
	two := strings.ReplaceAll(wasmPackage, "shop", "two")
	catalog := func() string {
		_, body := s.ask(http.MethodGet, "/api/catalog", "")
		return body
	}
	s.after(func() { s.put(shop(nil)) }, func(e Event) bool { return e.Kind == KindBuilt && e.Package == "shop" })
	if got := s.call("a"); got != "one" {
		t.Errorf("the first package answers %q", got)
	}
	s.after(func() {
		s.put(map[string]string{"_packages/two/package.json": two, "_packages/two/src/tools/b.ts": answering("b"), "_packages/two/src/routes/r.ts": `export const pattern = 'r'; export const GET = () => ({ status: 200, body: 'r' });`})
	}, func(e Event) bool { return e.Kind == KindBuilt && e.Package == "two" })
	if got := s.call("b"); got != "b" {
		t.Errorf("the second package answers %q", got)
	}
	if status, body := s.ask(http.MethodGet, "/api/packages/two/r", ""); status != 200 || body != "r" {
		t.Errorf("its route answers %d %s", status, body)
	}
	// Its id changes with its manifest, and so do its folder, a tool and a route.
	s.after(func() { s.put(map[string]string{"_packages/two/package.json": strings.ReplaceAll(two, "two", "zwei")}) },
		func(e Event) bool { return e.Kind == KindChanged && slices.Contains(e.Removed, "two") })
	if body := catalog(); !strings.Contains(body, `"id":"zwei"`) || strings.Contains(body, `"id":"two"`) {
		t.Errorf("the catalog is %s", body)
	}
	s.after(func() {
		if err := os.Rename(filepath.Join(s.dir, "_packages/two"), filepath.Join(s.dir, "_packages/drei")); err != nil {
			t.Fatal(err)
		}
	}, func(e Event) bool { return e.Kind == KindChanged })
	if got := s.call("b"); got != "b" {
		t.Errorf("in another folder it answers %q", got)
	}
	s.after(func() {
		if err := os.Rename(filepath.Join(s.dir, "_packages/drei/src/tools/b.ts"), filepath.Join(s.dir, "_packages/drei/src/tools/c.ts")); err != nil {
			t.Fatal(err)
		}
	}, func(e Event) bool { return e.Kind == KindBuilt })
	if b, c := s.call("b"), s.call("c"); b != "unknown-tool" || c != "b" {
		t.Errorf("a tool that was renamed answers %q and %q", b, c)
	}
	s.save(KindBuilt, map[string]string{"_packages/drei/src/routes/r.ts": ""})
	if status, _ := s.ask(http.MethodGet, "/api/packages/zwei/r", ""); status != 404 {
		t.Errorf("a route that is gone answers %d", status)
	}
	s.save(KindChanged, map[string]string{"_packages/drei/skills/s/SKILL.md": "---\nname: s\ndescription: does s\n---\nDo s."})
	if body := catalog(); !strings.Contains(body, "does s") {
		t.Errorf("the catalog has no skill: %s", body)
	}
	s.after(func() { s.put(map[string]string{"_packages/drei": ""}) }, func(e Event) bool { return e.Kind == KindChanged && len(e.Removed) > 0 })
	s.after(func() { s.put(map[string]string{"_packages": ""}) }, func(e Event) bool { return e.Kind == KindChanged && len(e.Removed) > 0 })
	if body := catalog(); !strings.Contains(body, `"packages":[]`) {
		t.Errorf("the catalog is %s", body)
	}
	// A folder that was deleted may come back.
	s.after(func() { s.put(shop(nil)) }, func(e Event) bool { return e.Kind == KindBuilt })
	if got := s.call("a"); got != "one" {
		t.Errorf("what came back answers %q", got)
	}
}

func TestConfigIsTakenUp(t *testing.T) {
	s := newStudio(t, shop(map[string]string{
		"neuralis.host.json":                  `{"roles":{"guest":{"features":["shop.look"]}}}`,
		"_packages/shop/package.json":         `{"name":"shop","version":"1.0.0","neuralis":{"runtime":{"type":"wasm"},"features":[{"id":"shop.look","title":"Look"}]}}`,
		"_packages/shop/tools/a.json":         `{"type":"object","x-neuralis":{"feature":"shop.look","annotations":{"category":"read"}}}`,
		"elsewhere/more/package.json":         strings.ReplaceAll(wasmPackage, "shop", "more"),
		"elsewhere/more/src/tools/m.ts":       answering("more"),
		"elsewhere/more/src/tools/nothing.md": "",
	}))
	if got := s.call("a", IdentityHeader, "guest"); got != "one" {
		t.Fatalf("a guest is answered %q", got)
	}
	// A source that is flagged is watched from then on.
	s.after(func() {
		s.put(map[string]string{"neuralis.host.json": `{"sources":[{"id":"other","path":"elsewhere","recognizesPackages":true}]}`})
	}, func(e Event) bool { return e.Kind == KindBuilt && e.Package == "more" })
	if got := s.call("m"); got != "more" {
		t.Errorf("what the source has answers %q", got)
	}
	s.after(func() { s.put(map[string]string{"elsewhere/more/src/tools/m.ts": answering("yet more")}) },
		func(e Event) bool { return e.Kind == KindBuilt && e.Package == "more" })
	if got := s.call("m"); got != "yet more" {
		t.Errorf("what the source has answers %q", got)
	}
	// The guest's role is gone, and with faults it stays so.
	if got := s.call("a", IdentityHeader, "guest"); got != "feature-required" {
		t.Errorf("a guest is answered %q", got)
	}
	event := s.save(KindNotice, map[string]string{"neuralis.host.json": `{"roles":`})
	if event.Level != "error" || !strings.Contains(event.Message, "the one before holds") {
		t.Errorf("told is %+v", event)
	}
	if got := s.call("m"); got != "yet more" {
		t.Errorf("with a broken config %q is answered", got)
	}
}

// A call that runs while a package is replaced ends in the version in which it began.
func TestCallsEndInTheirVersion(t *testing.T) {
	waiting := func(answer string) string {
		return `export default async (args: unknown, ctx: PdkContext) => {
  ctx.logger.info('begun');
  while (!(await ctx.data.fileStore('calls').exists('go'))) await new Promise((resolve) => setTimeout(resolve, 5));
  return '` + answer + `';
};`
	}
	s := newStudio(t, shop(map[string]string{"_packages/shop/src/tools/hold.ts": waiting("old")}))
	answer := make(chan string, 1)
	s.after(func() {
		go func() {
			response, err := http.Post(s.url+"/api/tools/hold", "application/json", strings.NewReader("{}"))
			if err != nil {
				answer <- err.Error()
				return
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			answer <- string(body)
		}()
	}, func(e Event) bool { return e.Kind == KindLogged && e.Message == "begun" })
	s.save(KindBuilt, map[string]string{"_packages/shop/src/tools/hold.ts": waiting("new"), "_packages/shop/src/tools/a.ts": answering("two")})
	if got := s.call("a"); got != "two" {
		t.Errorf("the new version answers %q", got)
	}
	s.put(map[string]string{"_data/packages/shop/calls/go.json": `{"go":true}`})
	if got := answered(t, <-answer); got != "old" {
		t.Errorf("the call that was held is answered %q", got)
	}
	if got := s.call("hold"); got != "new" {
		t.Errorf("the next is answered %q", got)
	}
}

// Two servers of one project each see what is saved.
func TestTwoServersOfOneProject(t *testing.T) {
	one := newStudio(t, shop(nil))
	two := &studio{TB: t, dir: one.dir, events: NewEvents(nil)}
	two.open()
	for i := range 3 {
		want := fmt.Sprint("answer ", i)
		one.after(func() {
			two.after(func() { one.put(map[string]string{"_packages/shop/src/tools/a.ts": answering(want)}) }, func(e Event) bool { return e.Kind == KindBuilt })
		}, func(e Event) bool { return e.Kind == KindBuilt })
		if a, b := one.call("a"), two.call("a"); a != want || b != want {
			t.Errorf("%q and %q are answered, not %q", a, b, want)
		}
	}
}
