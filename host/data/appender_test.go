package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

func add(t testing.TB, s *Store, rotation Rotation, from, to int) {
	t.Helper()
	for n := from; n <= to; n++ {
		must(t, s.Append(t.Context(), "logs/a.jsonl", json.RawMessage(fmt.Sprint(n)), rotation))
	}
}

func wantNewest(t testing.TB, s *Store, n int, want string) {
	t.Helper()
	values, err := s.ReadNewest(t.Context(), "logs/a.jsonl", n)
	if got := texts(values); got != want || err != nil || values == nil {
		t.Errorf("the newest %d are %q, %v; want %q", n, got, err, want)
	}
}

func files(t testing.TB, s *Store) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Dir(), "logs"))
	must(t, err)
	var all []string
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(s.Dir(), "logs", e.Name()))
		must(t, err)
		all = append(all, strings.TrimPrefix(e.Name(), "a.jsonl")+"="+strings.ReplaceAll(string(text), "\n", ","))
	}
	return strings.Join(all, " ")
}

func TestAppend(t *testing.T) {
	s := quick(t)
	wantNewest(t, s, 5, "")
	wantMissing(t, s.Dir())
	must(t, s.Append(t.Context(), "logs/a.jsonl", json.RawMessage("{\"a\":\n [1,\t2]}"), Rotation{}))
	must(t, s.Append(t.Context(), "logs//a.jsonl", json.RawMessage(`"x"`), Rotation{}))
	wantNewest(t, s, 5, `"x" {"a":[1,2]}`)
	wantNewest(t, s, 1, `"x"`)
	wantNewest(t, s, 0, "")
	wantNewest(t, s, -1, "")
	for _, path := range []string{"", ".", "a/", "../a", "/a", "con"} {
		wantCode(t, s.Append(t.Context(), path, json.RawMessage(`1`), Rotation{}), CodeInvalidPath)
		_, err := s.ReadNewest(t.Context(), path, 1)
		wantCode(t, err, CodeInvalidPath)
	}
}

func TestRotation(t *testing.T) {
	tests := []struct {
		name     string
		rotation Rotation
		to       int
		files    string
		newest   string
	}{
		{"not yet", Rotation{MaxBytes: 6, Keep: 2}, 3, "=1,2,3,", "3 2 1"},
		{"once", Rotation{MaxBytes: 6, Keep: 2}, 4, "=4, .1=1,2,3,", "4 3 2 1"},
		{"twice", Rotation{MaxBytes: 6, Keep: 2}, 7, "=7, .1=4,5,6, .2=1,2,3,", "7 6 5 4 3 2 1"},
		{"one is gone", Rotation{MaxBytes: 4, Keep: 2}, 8, "=7,8, .1=5,6, .2=3,4,", "8 7 6 5 4 3"},
		{"none is kept", Rotation{MaxBytes: 4, Keep: KeepNone}, 5, "=5,", "5"},
		{"a line is too long", Rotation{MaxBytes: 1, Keep: 2}, 5, "=5, .1=4, .2=3,", "5 4 3"},
	}
	for _, options := range []Options{{}, {Volatile: true}} {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				s := open(t, t.TempDir(), options)
				add(t, s, test.rotation, 1, test.to)
				if got := files(t, s); got != test.files {
					t.Errorf("got %q, want %q", got, test.files)
				}
				wantNewest(t, s, 100, test.newest)
			})
		}
	}
}

func TestKeepingFewer(t *testing.T) {
	s := quick(t)
	add(t, s, Rotation{MaxBytes: 2, Keep: 6}, 1, 7)
	add(t, s, Rotation{MaxBytes: 2, Keep: 2}, 8, 8)
	if got, want := files(t, s), "=8, .1=7, .2=6,"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A rotation that ends after any of its steps loses nothing, and the next one goes on from there.
func TestRotationThatWasKilled(t *testing.T) {
	const full = 4 // .1 to .4, of which the last is to go
	for steps := range full + 1 {
		s := quick(t)
		add(t, s, Rotation{MaxBytes: 2, Keep: full}, 1, full+1)
		at := func(n int) string {
			return generation(filepath.Join(s.Dir(), "logs", "a.jsonl"), n)
		}
		newest := "5 4 3 2 1"
		if steps > 0 {
			must(t, os.Remove(at(full)))
			newest = "5 4 3 2"
		}
		for i := range steps - 1 {
			must(t, os.Rename(at(full-1-i), at(full-i)))
		}
		wantNewest(t, s, 100, newest)
		add(t, s, Rotation{MaxBytes: 2, Keep: full}, 6, 6)
		wantNewest(t, s, 100, "6 5 4 3 2")
	}
}

func TestTornLines(t *testing.T) {
	tests := []struct{ name, file, newest, after string }{
		{"nothing torn", "1\n2\n", "2 1", "1,2,9,"},
		{"an object", "1\n{\"a\":", "1", "1,{\"a\": (torn),9,"},
		{"a number, which may be a part of one", "1\n12", "1", "1,12 (torn),9,"},
		{"a negative number", "-1", "", "-1 (torn),9,"},
		{"a whole object", "1\n{}", "{} 1", "1,{},9,"},
		{"a whole string", "\"a\"", "\"a\"", "\"a\",9,"},
		{"a torn word", "1\ntru", "1", "1,tru (torn),9,"},
		{"zeros, after a loss of power", "1\n\x00\x00\x00", "1", "1,\x00\x00\x00 (torn),9,"},
		{"blank lines", "1\n\n \n2\n", "2 1", "1,, ,2,9,"},
		{"garbage between", "1\nx\n{\"a\":1\n2\n", "2 1", "1,x,{\"a\":1,2,9,"},
		{"line breaks of Windows", "1\r\n2\r\n", "2 1", "1\r,2\r,9,"},
		{"empty", "", "", "9,"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := quick(t)
			path := filepath.Join(s.Dir(), "logs", "a.jsonl")
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte(test.file), 0o644))
			wantNewest(t, s, 100, test.newest)
			add(t, s, Rotation{}, 9, 9)
			if got := files(t, s); got != "="+test.after {
				t.Errorf("got %q, want %q", got, "="+test.after)
			}
			wantNewest(t, s, 100, strings.TrimSpace("9 "+test.newest))
		})
	}
}

// counting counts how much is read.
type counting struct {
	*bytes.Reader
	read int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	c.read += len(p)
	return c.Reader.ReadAt(p, at)
}

func TestOnlyTheTailIsRead(t *testing.T) {
	text := bytes.Repeat([]byte("{\"line\":1}\n"), 1<<20)
	file := &counting{Reader: bytes.NewReader(text)}
	lines := 0
	must(t, lastFirst(file, int64(len(text)), chunkBytes, 100, func([]byte, bool) bool { lines++; return lines < 10 }))
	if lines != 10 || file.read > chunkBytes {
		t.Errorf("read %d bytes for %d lines", file.read, lines)
	}
}

// TestReadersWhileRotating has readers see a row without gaps or repetitions while files are rotated fast.
func TestReadersWhileRotating(t *testing.T) {
	s := quick(t)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				values, err := s.ReadNewest(t.Context(), "logs/a.jsonl", 8)
				if err != nil {
					t.Error(err)
					return
				}
				for i := range len(values) - 1 {
					var newer, older int
					_, _ = fmt.Sscan(string(values[i]), &newer)
					_, _ = fmt.Sscan(string(values[i+1]), &older)
					if newer != older+1 {
						t.Errorf("read %s", texts(values))
						return
					}
				}
			}
		})
	}
	add(t, s, Rotation{MaxBytes: 12, Keep: 9}, 100, 1500)
	close(done)
	readers.Wait()
}

func TestAppendersTogether(t *testing.T) {
	s := quick(t)
	other := open(t, s.Dir(), Options{Volatile: true})
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			store := s
			if w%2 == 0 {
				store = other
			}
			for n := range 40 {
				line, _ := json.Marshal(map[string]any{"w": w, "n": n, "fill": strings.Repeat("x", w*100)})
				if err := store.Append(t.Context(), "logs/a.jsonl", line, Rotation{MaxBytes: 5000, Keep: 100}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	values, err := s.ReadNewest(t.Context(), "logs/a.jsonl", 1000)
	must(t, err)
	slices.Reverse(values)
	next := map[int]int{}
	for _, v := range values {
		var line struct{ W, N int }
		must(t, json.Unmarshal(v, &line))
		if line.N != next[line.W] {
			t.Fatalf("%d came when %d was next of %d", line.N, next[line.W], line.W)
		}
		next[line.W]++
	}
	if len(values) != 8*40 {
		t.Errorf("%d lines are there", len(values))
	}
}

// FuzzTail compares reading from the end with reading from the beginning.
func FuzzTail(f *testing.F) {
	f.Add([]byte("1\n2\n3"), uint8(2), uint8(10))
	f.Add([]byte("\n\n{}\n\"abc\"\n12"), uint8(1), uint8(3))
	f.Add([]byte("abcdefghij\nx"), uint8(3), uint8(5))
	f.Fuzz(func(t *testing.T, text []byte, chunk, longest uint8) {
		size, limit := int(chunk)%16+1, int(longest)%32+1
		var want []string
		pieces := bytes.Split(text, []byte("\n"))
		slices.Reverse(pieces)
		for i, piece := range pieces {
			if len(piece) > 0 && len(piece) <= limit {
				want = append(want, fmt.Sprintf("%q %t", piece, i > 0))
			}
		}
		for n := 1; n <= len(want)+1; n++ {
			var got []string
			must(t, lastFirst(bytes.NewReader(text), int64(len(text)), size, limit, func(line []byte, ended bool) bool {
				got = append(got, fmt.Sprintf("%q %t", line, ended))
				return len(got) < n
			}))
			if !slices.Equal(got, want[:min(n, len(want))]) {
				t.Fatalf("got %q, want %q", got, want)
			}
		}
		if len(text) > 0 {
			piece, err := lastPiece(bytes.NewReader(text), int64(len(text)), 1<<20)
			if err != nil || !bytes.Equal(piece, pieces[0]) {
				t.Errorf("the last piece is %q, %v", piece, err)
			}
		}
	})
}
