//go:build unix

package data

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe where a folder should be keeps nobody waiting.
func TestPipesInTheWayOfFolders(t *testing.T) {
	for _, at := range []string{"p", "p/s"} {
		t.Run(at, func(t *testing.T) {
			dir := t.TempDir()
			pipe := filepath.Join(dir, filepath.FromSlash(at))
			if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Skip(err)
			}
			store, err := Open(filepath.Join(dir, "p"), Options{Volatile: true})
			if err != nil {
				t.Fatal(err)
			}
			f, err := store.FileStore("s")
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			inTheWay := func(op string, err error) {
				t.Helper()
				if e := (*Error)(nil); !errors.As(err, &e) || e.Code != CodeInTheWay {
					t.Errorf("%s: %v", op, err)
				}
			}
			_, err = f.List(ctx)
			inTheWay("list", err)
			_, err = f.Get(ctx, "a")
			inTheWay("get", err)
			inTheWay("put", f.Put(ctx, "a", json.RawMessage("1")))
			inTheWay("append", store.Append(ctx, "s/x.jsonl", json.RawMessage("1"), Rotation{}))
		})
	}
}
