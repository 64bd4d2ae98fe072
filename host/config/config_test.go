package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

func load(t *testing.T) (*Config, string) {
	t.Helper()
	c, diagnostics := Load(filepath.Join("testdata", "whole.json"))
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	dir, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return c, dir
}

func TestLoad(t *testing.T) {
	c, dir := load(t)
	in := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	if want := []string{in("builtins"), in("core/runtime")}; !slices.Equal(c.Builtins, want) {
		t.Errorf("builtins %q, want %q", c.Builtins, want)
	}
	for name, pair := range map[string][2]string{
		"projectRoot": {c.ProjectRoot, in("project")}, "dataDir": {c.DataDir, in("var/data")}, "globalDir": {c.GlobalDir, in("var/global")},
		"keyFile": {c.Credentials.KeyFile, in("var/key")}, "source": {c.Sources[2].Path, in("home/bob")}, "scope": {c.Sources[0].Scope, ScopeProject},
		"value": {string(c.Values["catalog.labels"]), `{ "a": [1, null] }`}, "listen": {c.HTTP.Listen, "127.0.0.1:9000"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", name, pair[0], pair[1])
		}
	}
	if c.Trust["catalog"] != trust.Trusted || c.Roles["guest"].PackageGrants == nil || *c.Roles["guest"].PackageGrants {
		t.Errorf("%+v", c)
	}
}

func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	parsed, diagnostics := Parse(File, []byte("{}"), dir)
	if len(diagnostics) > 0 {
		t.Fatal(diagnostics)
	}
	made, err := Default(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(parsed, made) {
		t.Errorf("an empty file gives %+v\nand no file %+v", parsed, made)
	}
	if made.ProjectRoot != dir || made.DataDir != filepath.Join(dir, "_data") || made.HTTP.Listen == "" || !manifest.ValidID(made.ProjectID) {
		t.Errorf("%+v", made)
	}
}

func TestLimitsFor(t *testing.T) {
	c, _ := load(t)
	if got := c.LimitsFor(trust.FirstParty); got != trust.DefaultLimits(trust.FirstParty) {
		t.Errorf("first-party: %+v", got)
	}
	want := trust.DefaultLimits(trust.Trusted)
	want.ToolsPerMinute, want.RoutesPerMinute = 0, 1200
	if got := c.LimitsFor(trust.Trusted); got != want {
		t.Errorf("trusted: %+v, want %+v", got, want)
	}
	want = trust.DefaultLimits(trust.Untrusted)
	want.Deadline, want.MemoryMiB, want.MaxResultBytes = 5*time.Second, 32, 65536
	for _, tier := range []trust.Tier{trust.Untrusted, "", "root"} {
		if got := c.LimitsFor(tier); got != want {
			t.Errorf("%q: %+v, want %+v", tier, got, want)
		}
	}
}

func TestSessionFor(t *testing.T) {
	c, _ := load(t)
	got, err := c.SessionFor("bob")
	want := session.Session{UserID: "bob", ProjectID: "shop", Role: "member", Features: []string{"catalog.*", "weather.read"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := c.SessionFor("nobody"); err == nil || !got.IsZero() {
		t.Errorf("a user that is not there has %+v", got)
	}
}

func TestMayFlag(t *testing.T) {
	c, _ := load(t)
	tests := []struct {
		name, user string
		source     Source
		want       bool
	}{
		{"an admin, any source", "ada", Source{Scope: ScopeUser, Owner: "bob"}, true},
		{"an admin, an agent's source", "ada", Source{Scope: ScopeAgent, Owner: "scout-1"}, true},
		{"the owner", "bob", Source{Scope: ScopeUser, Owner: "bob"}, true},
		{"the owner of a source of the project", "bob", Source{Scope: ScopeProject, Owner: "bob"}, true},
		{"somebody else", "eve@example.com", Source{Scope: ScopeUser, Owner: "bob"}, false},
		{"a member, a source of the project without owner", "bob", Source{Scope: ScopeProject}, false},
		{"nobody, a source without owner", "", Source{Scope: ScopeProject}, false},
		{"a user with the id of an agent", "bob", Source{Scope: ScopeAgent, Owner: "bob"}, false},
		{"somebody unknown with the id of the owner", "ghost", Source{Scope: ScopeUser, Owner: "ghost"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := c.MayFlag(test.user, test.source); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
			test.source.RecognizesPackages, test.source.FlaggedBy = true, test.user
			if got := c.Recognized(test.source); got != (test.want || test.user == "") {
				t.Errorf("recognized: got %t, want %t", got, test.want)
			}
		})
	}
}

type refusal struct {
	name, text string
	rule       string
	line       int
	column     int
	message    string
}

func refusals() []refusal {
	hash := strings.Repeat("ab", 32)
	return []refusal{
		{"not JSON", "{\n  \"builtins\": [,]\n}", manifest.RuleJSONSyntax, 2, 16, ""},
		{"empty", "", manifest.RuleJSONSyntax, 1, 1, ""},
		{"not an object", "[]", RuleHostConfig, 1, 1, "must be an object"},
		{"a member twice", "{\"debug\": true,\n\"debug\": false}", manifest.RuleDuplicateKey, 2, 1, ""},
		{"a misspelt member", "{\n  \"trsut\": {}\n}", RuleHostConfigUnknown, 2, 3, "trsut"},
		{"a misspelt member inside", "{\"sources\": [\n{\"id\": \"a\", \"path\": \"b\", \"recognisesPackages\": true}]}", RuleHostConfigUnknown, 2, 26, "sources[0].recognisesPackages"},
		{"first-party by override", "{\"trust\": {\n\"catalog\": \"first-party\"}}", RuleHostConfig, 2, 12, `"trusted", "untrusted"`},
		{"a tier of its own", "{\"limits\": {\"root\": {}}}", RuleHostConfigUnknown, 1, 13, "limits.root"},
		{"no deadline", "{\"limits\": {\"trusted\": {\"deadlineMs\": 0}}}", RuleHostConfig, 1, 39, "at least 1"},
		{"a token in the clear", "{\"roles\": {\"a\": {}}, \"users\": [{\"id\": \"a\", \"role\": \"a\", \"tokenSha256\": [\"secret\"]}]}", RuleHostConfig, 1, 73, "SHA-256"},
		{"a role that is not there", "{\"users\": [{\"id\": \"a\",\n\"role\": \"admin\"}]}", RuleHostConfigConflict, 2, 9, `no role "admin"`},
		{"two users of one id", "{\"roles\": {\"r\": {}}, \"users\": [{\"id\": \"a\", \"role\": \"r\"},\n{\"id\": \"a\", \"role\": \"r\"}]}", RuleHostConfigConflict, 2, 8, `users[0] has the id "a"`},
		{"two users with one token", "{\"roles\": {\"r\": {}}, \"users\": [{\"id\": \"a\", \"role\": \"r\", \"tokenSha256\": [\"" + hash + "\"]},\n{\"id\": \"b\", \"role\": \"r\", \"tokenSha256\": [\"" + hash + "\"]}]}", RuleHostConfigConflict, 2, 42, "same token"},
		{"two users with one variable", "{\"roles\": {\"r\": {}}, \"users\": [{\"id\": \"a\", \"role\": \"r\", \"tokenEnv\": \"T\"},\n{\"id\": \"b\", \"role\": \"r\", \"tokenEnv\": \"T\"}]}", RuleHostConfigConflict, 2, 38, "same token"},
		{"two sources of one id", "{\"sources\": [{\"id\": \"a\", \"path\": \"x\"},\n{\"id\": \"a\", \"path\": \"y\"}]}", RuleHostConfigConflict, 2, 8, "sources[0]"},
		{"a user's source without owner", "{\"sources\": [\n{\"id\": \"a\", \"path\": \"x\", \"scope\": \"user\"}]}", RuleHostConfig, 2, 1, "owner is missing"},
		{"an owner who is not there", "{\"sources\": [\n{\"id\": \"a\", \"path\": \"x\", \"scope\": \"user\", \"owner\": \"bob\"}]}", RuleHostConfigConflict, 2, 52, `no user "bob"`},
		{"flagged by nobody known", "{\"sources\": [\n{\"id\": \"a\", \"path\": \"x\", \"recognizesPackages\": true, \"flaggedBy\": \"bob\"}]}", RuleHostConfigConflict, 2, 67, `no user "bob"`},
		{"flagged by somebody who may not", "{\"roles\": {\"r\": {}}, \"users\": [{\"id\": \"bob\", \"role\": \"r\"}], \"sources\": [\n{\"id\": \"a\", \"path\": \"x\", \"recognizesPackages\": true, \"flaggedBy\": \"bob\"}]}", RuleHostConfigConflict, 2, 67, "neither the owner of the source nor an admin"},
		{"the drop zone as builtin", "{\"builtins\": [\n\"_packages/core\"]}", RuleHostConfigConflict, 2, 1, "not first-party"},
		{"a flagged source as builtin", "{\"builtins\": [\n\"./x/\"], \"sources\": [{\"id\": \"a\", \"path\": \"x\", \"recognizesPackages\": true}]}", RuleHostConfigConflict, 2, 1, `source "a" is not first-party`},
		{"data among packages", "{\n\"dataDir\": \"_packages/data\"}", RuleHostConfigConflict, 2, 12, "cannot keep its data"},
		{"no port of this number", "{\"http\": {\n\"listen\": \"localhost:99999\"}}", RuleHostConfigConflict, 2, 11, "no port 99999"},
		{"a path that is empty", "{\"builtins\": [\"\"]}", RuleHostConfig, 1, 15, "not empty"},
	}
}

func TestRefused(t *testing.T) {
	for _, test := range refusals() {
		t.Run(test.name, func(t *testing.T) {
			c, diagnostics := Parse(File, []byte(test.text), t.TempDir())
			if c != nil || len(diagnostics) == 0 {
				t.Fatalf("accepted, with %v", diagnostics)
			}
			d := diagnostics[0]
			if d.Rule != test.rule || d.Line != test.line || d.Column != test.column || !strings.Contains(d.Message, test.message) || d.File != File {
				t.Errorf("%s [%s] %q", d.Error(), d.Rule, d.Hint)
			}
		})
	}
}

func TestTokensAreNotPrinted(t *testing.T) {
	const token = "hunter2-hunter2-hunter2"
	for _, text := range []string{
		`{"users": [{"id": "a", "tokenSha256": ["` + token + `"]}]}`,
		`{"users": [{"id": "a", "tokenSha256": "` + token + `"}]}`,
		`{"users": [{"id": "a", "tokenSha256": {"x": "` + token + `"}}], "debug": 1}`,
	} {
		_, diagnostics := Parse(File, []byte(text), t.TempDir())
		if len(diagnostics) < 2 {
			t.Errorf("%v", diagnostics)
		}
		for _, d := range diagnostics {
			if strings.Contains(d.Message+d.Hint+d.Frame, token) {
				t.Errorf("%s\n%s", d.Error(), d.Frame)
			}
		}
	}
}

func TestEveryFaultIsReported(t *testing.T) {
	_, diagnostics := Parse(File, []byte("{\"debug\": 1,\n\"trsut\": {},\n\"users\": [{}]}"), t.TempDir())
	if len(diagnostics) != 4 {
		t.Errorf("%v", diagnostics)
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, []byte(`{"debug": true`+strings.Repeat(" ", 2<<20)+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, rule := range map[string]string{
		filepath.Join(dir, "none.json"): RuleHostConfigUnreadable,
		dir:                             RuleHostConfigUnreadable,
		large:                           manifest.RuleFileTooLarge,
	} {
		c, diagnostics := Load(path)
		if c != nil || len(diagnostics) != 1 || diagnostics[0].Rule != rule || diagnostics[0].File != filepath.ToSlash(path) {
			t.Errorf("%s: %v, %v", path, c, diagnostics)
		}
	}
}

// TestFormatsAreThoseOfManifests compares the formats that are written here a second time.
func TestFormatsAreThoseOfManifests(t *testing.T) {
	for _, s := range []string{"a", "a-b", "a--b", "-a", "A", "", "é", "a.b", "catalog.read", "a..b", ".a", "a_b", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("a", 129)} {
		if got, want := formats().Match("slug", s), manifest.ValidID(s); got != want {
			t.Errorf("slug %q: %t, want %t", s, got, want)
		}
		if got, want := formats().Match("word", s), manifest.ValidFeature(s); got != want {
			t.Errorf("word %q: %t, want %t", s, got, want)
		}
		if manifest.ValidFeature(s) && !formats().Match("features", s) {
			t.Errorf("%q is a feature, and no pattern of features", s)
		}
	}
}

func TestVerifier(t *testing.T) {
	const token = "a token of 16 characters or more"
	c := &Config{Users: []User{
		// The SHA-256 of "abc", from FIPS 180-2, appendix B.1.
		{ID: "ada", TokenSHA256: []string{"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}},
		{ID: "bob", TokenEnv: "BOB"},
		{ID: "eve"},
	}}
	env := func(values map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	}
	v, err := NewVerifier(c, env(map[string]string{"BOB": token}))
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{"abc": "ada", token: "bob", "": "", "eve": "", token + " ": ""} {
		if id, ok := v.User(token); id != want || ok != (want != "") {
			t.Errorf("%q is the token of %q, want %q", token, id, want)
		}
	}
	for name, values := range map[string]map[string]string{"not set": {}, "empty": {"BOB": ""}, "short": {"BOB": "secret"}} {
		if _, err := NewVerifier(c, env(values)); err == nil || !strings.Contains(err.Error(), "BOB") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.Users[2].TokenEnv = "EVE"
	if _, err := NewVerifier(c, env(map[string]string{"BOB": token, "EVE": token})); err == nil || strings.Contains(err.Error(), token) {
		t.Errorf("two users with one token: %v", err)
	}
}
