package data

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestEncodeID(t *testing.T) {
	tests := []struct{ name, id, want string }{
		{"plain", "p-100_a.b", "p-100_a.b"},
		{"capitals", "Bob", "%42ob"},
		{"other letters", "é", "%c3%a9"},
		{"the same, put together", "e\u0301", "e%cc%81"},
		{"escapes nothing twice", "%42ob", "%2542ob"},
		{"a path", "../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"},
		{"dots", "..", "%2e%2e"},
		{"hidden", ".x", "%2ex"},
		{"a dot at the end", "a.b.", "a.b%2e"},
		{"a device", "con", "%63on"},
		{"a device in capitals", "NUL", "%4e%55%4c"},
		{"a device with an extension", "lpt1.a", "%6cpt1.a"},
		{"no device", "console", "console"},
		{"NUL", "a\x00b", "a%00b"},
		{"a line break", "a\nb", "a%0ab"},
		{"no UTF-8", "\xff", "%ff"},
		{"as long as can be", strings.Repeat("a", 195), strings.Repeat("a", 195)},
		{"empty", "", ""},
		{"too long", strings.Repeat("a", 196), ""},
		{"too long when encoded", strings.Repeat("A", 66), ""},
		{"far too long", strings.Repeat("a", 1<<20), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := EncodeID(test.id)
			if got != test.want || (err != nil) != (test.want == "") {
				t.Fatalf("got %q, %v", got, err)
			}
			if id, ok := DecodeID(got); err == nil && (!ok || id != test.id) {
				t.Errorf("decoded to %q, %t", id, ok)
			}
		})
	}
	for _, name := range []string{"", "A", "%4", "%4G", "%41%", "%61", "%4E", "con", ".x", "é", "a b"} {
		if id, ok := DecodeID(name); ok {
			t.Errorf("%q was decoded to %q", name, id)
		}
	}
}

func FuzzEncodeID(f *testing.F) {
	for _, id := range []string{"a", "A", "con", "..", "%41", "é", "\x00", "Com1.x", "lpt²"} {
		f.Add(id, strings.ToUpper(id))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := EncodeID(a)
		y, errY := EncodeID(b)
		if errX != nil || errY != nil {
			return
		}
		if strings.EqualFold(x, y) != (a == b) {
			t.Errorf("%q and %q are %q and %q", a, b, x, y)
		}
		if id, ok := DecodeID(x); !ok || id != a {
			t.Errorf("%q is %q, which is %q, %t", a, x, id, ok)
		}
		if err := checkName(x); err != nil {
			t.Errorf("%q is %q: %v", a, x, err)
		}
		// What is decoded has one name only.
		if id, ok := DecodeID(b); ok {
			if again, err := EncodeID(id); err != nil || again != b {
				t.Errorf("%q was decoded to %q, which is %q, %v", b, id, again, err)
			}
		}
	})
}

func TestDataPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not there")
	s := open(t, dir, Options{})
	tests := []struct{ name, rel, want, why string }{
		{"a file", "a.txt", "a.txt", ""},
		{"in folders", "catalog/items/Ä b.json", "catalog/items/Ä b.json", ""},
		{"the folder", ".", ".", ""},
		{"detours", "a//b/./../c", "a/c", ""},
		{"a slash at the end", "a/", "a", ""},
		{"hidden", ".cache/x", ".cache/x", ""},
		{"dots in names", "a..b/...c", "a..b/...c", ""},
		{"nothing", "", "", "empty"},
		{"absolute", "/etc/passwd", "", "absolute"},
		{"out", "..", "", "out of"},
		{"out and in", "../data/a", "", "out of"},
		{"out by a detour", "a/../../b", "", "out of"},
		{"a drive", "C:/x", "", "drive"},
		{"on a drive", "c:x", "", "drive"},
		{"backslashes", `a\..\..\b`, "", "backslash"},
		{"a share", `\\server\x`, "", "backslash"},
		{"NUL", "a\x00.txt", "", "NUL"},
		{"a control character", "a\nb", "", "Windows"},
		{"a stream", "a.txt:b", "", "Windows"},
		{"a wildcard", "a*", "", "Windows"},
		{"a device", "con", "", "device"},
		{"a device in a folder", "a/NuL.txt/b", "", "device"},
		{"a device with blanks", "aux .txt", "", "device"},
		{"an odd device", "com².log", "", "device"},
		{"a dot at the end", "a./b", "", "ends in"},
		{"a blank at the end", "a ", "", "ends in"},
		{"a lock", ".a.neuralis-lock", "", "belong to the host"},
		{"a lock's queue", ".a.neuralis-lock.queue", "", "belong to the host"},
		{"a temporary file", "x/.a.1.Neuralis-TMP", "", "belong to the host"},
		{"no UTF-8", "a\xff", "", "UTF-8"},
		{"a long name", strings.Repeat("a", 201), "", "bytes"},
		{"a long path", strings.Repeat("a/", 600), "", "bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := s.DataPath(test.rel)
			if test.why == "" {
				if want := filepath.Join(dir, filepath.FromSlash(test.want)); got != want || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
				return
			}
			wantCode(t, err, CodeInvalidPath)
			if err != nil && !strings.Contains(err.Error(), test.why) {
				t.Errorf("the reason is: %v", err)
			}
		})
	}
	wantMissing(t, dir)
}

func TestStoreNames(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	for name, dir := range map[string]string{
		"items": "items", "catalog/items": "catalog/items", "drafts/Bob": "drafts/%42ob", "drafts/bob": "drafts/bob", "con": "%63on", "a b": "a%20b",
		"": "", "/items": "", "items/": "", "a//b": "", "../x": "", "a/../b": "", ".": "", "a\x00": "",
	} {
		f, err := s.FileStore(name)
		if dir == "" {
			wantCode(t, err, CodeInvalidPath)
		} else if err != nil || f.dir != dir {
			t.Errorf("%q: got %+v, %v", name, f, err)
		}
	}
}

func TestPackageDir(t *testing.T) {
	for key, want := range map[string]string{
		"catalog": "packages/catalog", "user/Bob/catalog": "owned/user/%42ob/catalog", "agent/a@b.example/notes": "owned/agent/a%40b.example/notes",
	} {
		if got, err := PackageDir("root", key); err != nil || filepath.ToSlash(got) != "root/"+want {
			t.Errorf("%q: %q, %v", key, got, err)
		}
	}
	if _, err := PackageDir("root", "user/../x"); err == nil {
		t.Error("a key that leads elsewhere was taken")
	}
}

func wantCode(t testing.TB, err error, code Code) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("got %v, want the code %s", err, code)
	}
}
