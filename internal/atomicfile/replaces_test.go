package atomicfile

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPublishRefusesToReplaceOthersFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lib")
	put(t, filepath.Join(dir, "src", "a.js"), "by hand")
	never := Options{Volatile: true, Replaces: func(string) bool { return false }}
	files := []File{{Path: "src/a.js", Data: []byte("new")}}
	err := Publish(t.Context(), dir, files, never)
	if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), "src/a.js") || get(t, filepath.Join(dir, "src", "a.js")) != "by hand" {
		t.Errorf("got %v", err)
	}
	put(t, filepath.Join(dir, "src", "a.js"), "new") // the same content is no loss, and from here on it is listed
	for _, text := range []string{"new", "newer"} {
		if err := Publish(t.Context(), dir, []File{{Path: "src/a.js", Data: []byte(text)}}, never); err != nil {
			t.Fatal(err)
		}
	}
}
