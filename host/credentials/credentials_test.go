package credentials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Other processes in these tests are this test program, started again with its task in the environment.
const taskVariable = "CREDENTIALS_TEST_TASK"

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVariable); task != "" {
		if err := perform(task, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func perform(task, dir string) error {
	s, err := Open(Options{Dir: filepath.Join(dir, "credentials"), KeyFile: filepath.Join(dir, "key")})
	if err != nil {
		return err
	}
	for i := range 20 {
		if err := s.Set(context.Background(), Ref{ScopeGlobal, "", fmt.Sprint(task, ".", i)}, NewSecret(task)); err != nil {
			return err
		}
		if err := s.Set(context.Background(), Ref{ScopeGlobal, "", "shared"}, NewSecret(task)); err != nil {
			return err
		}
	}
	return nil
}

// place is a store and what it told.
type place struct {
	*Store
	dir      string
	faults   []string
	revealed []string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	p := &place{dir: t.TempDir()}
	s, err := Open(Options{
		Dir: filepath.Join(p.dir, "credentials"), KeyFile: filepath.Join(p.dir, "keys", "key"),
		OnFault:  func(ref Ref, err error) { p.faults = append(p.faults, fmt.Sprint(ref, ": ", err)) },
		Revealed: func(s Secret) { p.revealed = append(p.revealed, s.Reveal()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Store = s
	return p
}

func (p *place) set(t testing.TB, ref Ref, value string, packages ...string) {
	t.Helper()
	if err := p.Set(t.Context(), ref, NewSecret(value), packages...); err != nil {
		t.Fatal(err)
	}
}

func (p *place) file(t testing.TB, ref Ref) string {
	t.Helper()
	name, err := ref.path()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(p.options.Dir, name)
}

const id = "acme.apiKey"

var (
	forAgent   = Ref{ScopeAgent, "helper", id}
	forProject = Ref{ScopeProject, "shop", id}
	forUser    = Ref{ScopeUser, "Ada@b.example", id}
	forAll     = Ref{ScopeGlobal, "", id}
	everybody  = session.Session{AgentID: "helper", ProjectID: "shop", UserID: "Ada@b.example"}
)

func declare(scopes ...string) []manifest.Credential {
	return []manifest.Credential{{ID: id, Scopes: scopes}}
}

func TestTheNearestScopeCounts(t *testing.T) {
	tests := []struct {
		name     string
		set      []Ref
		declared []manifest.Credential
		who      session.Session
		want     string
	}{
		{"nothing", nil, declare(), everybody, ""},
		{"all", []Ref{forAgent, forProject, forUser, forAll}, declare(), everybody, "agent"},
		{"without the agent's", []Ref{forProject, forUser, forAll}, declare(), everybody, "project"},
		{"without the project's", []Ref{forUser, forAll}, declare(), everybody, "user"},
		{"the global one", []Ref{forAll}, declare(), everybody, "global"},
		{"all, for nobody", []Ref{forAgent, forProject, forUser, forAll}, declare(), session.Session{}, "global"},
		{"another's", []Ref{forAgent, forUser}, declare(), session.Session{AgentID: "Helper", ProjectID: "shop", UserID: "ada@b.example"}, ""},
		{"the owner of another scope", []Ref{forAgent}, declare(), session.Session{UserID: "helper", ProjectID: "helper"}, ""},
		{"scopes that are not declared", []Ref{forAgent, forProject, forUser, forAll}, declare("user", "global"), everybody, "user"},
		{"only scopes that are not declared", []Ref{forAgent, forAll}, declare("user"), everybody, ""},
		{"not declared", []Ref{forAll}, []manifest.Credential{{ID: "acme.other"}}, everybody, ""},
		{"nothing declared", []Ref{forAll}, nil, everybody, ""},
		{"a strange session", []Ref{forAll}, declare(), session.Session{AgentID: "../x", UserID: strings.Repeat("A", 5000)}, "global"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			for _, ref := range test.set {
				p.set(t, ref, string(ref.Scope))
			}
			got, ok := p.For("catalog", test.declared).Resolve(test.who, id)
			if got.Reveal() != test.want || ok != (test.want != "") || len(p.faults) != 0 {
				t.Errorf("got %q, %t; faults %q", got.Reveal(), ok, p.faults)
			}
			if ok != (len(p.revealed) == 1) {
				t.Errorf("told of %q", p.revealed)
			}
		})
	}
}

func TestPackagesThatGetIt(t *testing.T) {
	p := newPlace(t)
	p.set(t, forAll, "for all")
	p.set(t, forProject, "for some", "catalog", "user/bob/notes")
	for key, want := range map[string]string{"catalog": "for some", "user/bob/notes": "for some", "notes": "for all", "": "for all"} {
		if got, _ := p.For(key, declare()).Resolve(everybody, id); got.Reveal() != want {
			t.Errorf("%s: got %q", key, got.Reveal())
		}
	}
	if got := p.For("catalog", declare()).ResolveForKind("acme"); got == nil || len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestNothingIsReadable(t *testing.T) {
	p := newPlace(t)
	p.set(t, forUser, "s3cr3t-value")
	modes := map[string]fs.FileMode{p.options.KeyFile: 0o600, p.file(t, forUser): 0o600, p.options.Dir: 0o700, filepath.Dir(p.options.KeyFile): 0o700}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if want, known := modes[path]; known && info.Mode().Perm() != want && runtime.GOOS != "windows" {
			t.Errorf("%s has the permissions %v", path, info.Mode())
		}
		if strings.HasSuffix(path, "lock") || strings.HasSuffix(path, "tmp") {
			t.Errorf("left behind: %s", path)
		}
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("s3cr3t")) {
			t.Errorf("%s has the value in it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSecretsPrintAsMasks(t *testing.T) {
	s := NewSecret("s3cr3t")
	encoded, err := json.Marshal(map[string]any{"a": s, "b": &s, "c": []Secret{s}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "s", s, "p", &s)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "s", s, "c", content{Value: "-"})
	all := fmt.Sprintf("%s %v %+v %#v %q %x %v %#v %v %+v", s, s, s, s, s, s, struct{ S Secret }{s}, &s, struct{ s Secret }{s}, []any{&struct{ s Secret }{s}}) + string(encoded) + log.String()
	if strings.Contains(all, "s3cr3t") || strings.Contains(all, fmt.Sprintf("%x", "s3cr3t")) || !strings.Contains(all, mask) {
		t.Errorf("got %s", all)
	}
}

// Whatever is wrong, a package is told that there is no credential, and the operator is told why.
func TestFaultsLookLikeAbsence(t *testing.T) {
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		spoil func(t *testing.T, p *place)
		fault string
		unix  bool
	}{
		{"an empty file", func(t *testing.T, p *place) { write(t, p.file(t, forProject), "") }, "corrupt", false},
		{"no age file", func(t *testing.T, p *place) { write(t, p.file(t, forProject), "s3cr3t-project") }, "corrupt", false},
		{"a torn file", func(t *testing.T, p *place) {
			text, err := os.ReadFile(p.file(t, forProject))
			if err != nil {
				t.Fatal(err)
			}
			write(t, p.file(t, forProject), string(text[:len(text)-5]))
		}, "corrupt", false},
		{"a changed file", func(t *testing.T, p *place) {
			text, err := os.ReadFile(p.file(t, forProject))
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)-5] ^= 1
			write(t, p.file(t, forProject), string(text))
		}, "corrupt", false},
		{"another's file", func(t *testing.T, p *place) {
			if err := os.Rename(p.file(t, forUser), p.file(t, forProject)); err != nil {
				t.Fatal(err)
			}
		}, "another credential", false},
		{"a folder", func(t *testing.T, p *place) {
			if err := errors.Join(os.Remove(p.file(t, forProject)), os.Mkdir(p.file(t, forProject), 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "remove it", false},
		{"a huge file", func(t *testing.T, p *place) {
			if err := os.Truncate(p.file(t, forProject), 1<<40); err != nil {
				t.Skip(err)
			}
		}, "remove it", false},
		{"no key", func(t *testing.T, p *place) {
			if err := os.Remove(p.options.KeyFile); err != nil {
				t.Fatal(err)
			}
		}, "key file", false},
		{"an empty key", func(t *testing.T, p *place) { write(t, p.options.KeyFile, "\n# nothing\n") }, "is empty", false},
		{"no key in the key file", func(t *testing.T, p *place) { write(t, p.options.KeyFile, "s3cr3t-key") }, "age-keygen", false},
		{"another key", func(t *testing.T, p *place) {
			other := newPlace(t)
			other.set(t, forAll, "x")
			text, err := os.ReadFile(other.options.KeyFile)
			if err != nil {
				t.Fatal(err)
			}
			write(t, p.options.KeyFile, string(text))
		}, "another key", false},
		{"a key for the group", func(t *testing.T, p *place) {
			if err := os.Chmod(p.options.KeyFile, 0o640); err != nil {
				t.Fatal(err)
			}
		}, "chmod 600", true},
		{"a key for everybody", func(t *testing.T, p *place) {
			if err := os.Chmod(p.options.KeyFile, 0o604); err != nil {
				t.Fatal(err)
			}
		}, "chmod 600", true},
		{"a folder for a key", func(t *testing.T, p *place) {
			if err := errors.Join(os.Remove(p.options.KeyFile), os.Mkdir(p.options.KeyFile, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "no file", false},
		{"a file for the store", func(t *testing.T, p *place) {
			if err := os.RemoveAll(p.options.Dir); err != nil {
				t.Fatal(err)
			}
			write(t, p.options.Dir, "")
		}, "directory", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.unix && runtime.GOOS == "windows" {
				t.Skip("permissions are not in the mode")
			}
			p := newPlace(t)
			p.set(t, forProject, "s3cr3t-project")
			p.set(t, forUser, "s3cr3t-user")
			p.set(t, forAll, "s3cr3t-global")
			test.spoil(t, p)
			got, ok := p.For("catalog", declare("project", "global")).Resolve(everybody, id)
			if ok || got.Reveal() != "" {
				t.Errorf("got %q", got.Reveal())
			}
			if len(p.faults) != 1 || !strings.Contains(p.faults[0], test.fault) || strings.Contains(p.faults[0], "s3cr3t") {
				t.Errorf("told of %q", p.faults)
			}
			p.options.OnFault = nil
			if _, ok := p.For("catalog", declare()).Resolve(session.Session{ProjectID: "shop"}, id); ok {
				t.Error("a value came")
			}
		})
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct {
		name, value string
		ref         Ref
	}{
		{"nothing", "", forAll},
		{"too much", strings.Repeat("x", MaxBytes+1), forAll},
		{"no UTF-8", "\xffs3cr3t", forAll},
		{"no id", "s3cr3t", Ref{ScopeGlobal, "", ""}},
		{"an id that leads elsewhere", "s3cr3t", Ref{ScopeGlobal, "", "../x"}},
		{"a long id", "s3cr3t", Ref{ScopeGlobal, "", strings.Repeat("a", 300)}},
		{"no scope", "s3cr3t", Ref{"", "", id}},
		{"a scope that there is not", "s3cr3t", Ref{"everyone", "", id}},
		{"no owner", "s3cr3t", Ref{ScopeUser, "", id}},
		{"an owner of a global one", "s3cr3t", Ref{ScopeGlobal, "ada", id}},
		{"an owner that leads elsewhere", "s3cr3t", Ref{ScopeUser, "a/b", id}},
		{"an owner that leads up", "s3cr3t", Ref{ScopeUser, "..", id}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPlace(t)
			err := p.Set(t.Context(), test.ref, NewSecret(test.value))
			if err == nil || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("got %v", err)
			}
			if entries, err := os.ReadDir(p.dir); len(entries) != 0 || err != nil {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

func TestTheKeyIsNotMadeAnew(t *testing.T) {
	p := newPlace(t)
	p.set(t, forUser, "x")
	if err := os.Rename(p.options.KeyFile, p.options.KeyFile+".away"); err != nil {
		t.Fatal(err)
	}
	if err := p.Set(t.Context(), forAll, NewSecret("y")); !errors.Is(err, ErrNoKey) {
		t.Errorf("got %v", err)
	}
	// Without credentials that it could be needed for, it is.
	if was, err := p.Remove(forUser); !was || err != nil {
		t.Fatal(was, err)
	}
	p.set(t, forAll, "y")
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(p.options.KeyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.Set(t.Context(), forAll, NewSecret("z")); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("got %v", err)
	}
}

func TestListAndRemove(t *testing.T) {
	p := newPlace(t)
	if entries, err := p.List(); entries == nil || len(entries) != 0 || err != nil {
		t.Errorf("got %v, %v", entries, err)
	}
	if was, err := p.Remove(forAll); was || err != nil {
		t.Errorf("got %t, %v", was, err)
	}
	for _, ref := range []Ref{forAll, forUser, forProject, forAgent, {ScopeGlobal, "", "Another"}, {ScopeUser, "bob", id}} {
		p.set(t, ref, "s3cr3t")
	}
	p.set(t, forUser, "s3cr3t", "catalog")
	if err := os.WriteFile(p.file(t, forAgent), []byte("s3cr3t"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, foreign := range []string{"README", "global/Upper.age", "global/.x.neuralis-tmp", "user/x"} {
		if err := os.WriteFile(filepath.Join(p.options.Dir, filepath.FromSlash(foreign)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := p.List()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%v%v%t", e.Ref, e.Packages, e.Fault != ""))
	}
	want := "Another (global)[]false;acme.apiKey (agent helper)[]true;acme.apiKey (project shop)[]false;acme.apiKey (user Ada@b.example)[catalog]false;acme.apiKey (user bob)[]false;acme.apiKey (global)[]false"
	if strings.Join(got, ";") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ";"), want)
	}
	if text, err := json.Marshal(entries); err != nil || strings.Contains(string(text), "s3cr3t") {
		t.Errorf("got %s, %v", text, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := p.Remove(forAgent); was != want || err != nil {
			t.Errorf("got %t, %v", was, err)
		}
	}
	if _, err := p.Remove(Ref{ScopeUser, "", id}); err == nil {
		t.Error("a credential of nobody was removed")
	}
}

// Several processes make the key, and write, at once.
func TestProcessesTogether(t *testing.T) {
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 3 {
		command := exec.Command(program, dir)
		command.Env = append(os.Environ(), fmt.Sprintf("%s=p%d", taskVariable, i))
		all.Go(func() {
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	s, err := Open(Options{Dir: filepath.Join(dir, "credentials"), KeyFile: filepath.Join(dir, "key"), OnFault: func(ref Ref, err error) { t.Error(ref, err) }})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := s.List()
	if len(entries) != 61 || err != nil {
		t.Fatalf("there are %d credentials, %v", len(entries), err)
	}
	for _, e := range entries {
		value, ok := s.For("x", []manifest.Credential{{ID: e.ID}}).Resolve(session.Session{}, e.ID)
		if !ok || !strings.HasPrefix(e.ID, value.Reveal()+".") && e.ID != "shared" {
			t.Errorf("%s is %q, %t", e.ID, value.Reveal(), ok)
		}
	}
}

func TestTheEnvironmentIsNotRead(t *testing.T) {
	t.Setenv(id, "s3cr3t")
	t.Setenv("ACME_API_KEY", "s3cr3t")
	t.Setenv("PATHLIKE", "s3cr3t")
	p := newPlace(t)
	declared := []manifest.Credential{{ID: id}, {ID: "ACME_API_KEY"}, {ID: "PATHLIKE"}}
	for _, c := range declared {
		if got, ok := p.For("catalog", declared).Resolve(everybody, c.ID); ok {
			t.Errorf("%s is %q", c.ID, got.Reveal())
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	p := newPlace(f)
	p.set(f, forAll, "s3cr3t")
	text, err := os.ReadFile(p.file(f, forAll))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)-1])
	f.Add([]byte("age-encryption.org/v1\n"))
	key, err := readKey(p.options.KeyFile)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, fuzzed []byte) {
		if c, err := decrypt(key, fuzzed); err == nil && (c.Value != "s3cr3t" || c.Ref != forAll) {
			t.Errorf("got %+v", c)
		}
		_, _ = parseKey("key", fuzzed)
	})
}
