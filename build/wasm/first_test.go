package wasm

import (
	"context"
	"fmt"
	"testing"
	"time"
)

const tiny = `
const n = globalThis.__neuralis_native; delete globalThis.__neuralis_native;
let input;
n(16, (kind) => { input = JSON.parse(n(0)); }, () => { n(1, JSON.stringify({ got: input, r: typeof n(12), k: Math.random() })); return 0; }, () => {}, (e) => { n(2, JSON.stringify({name:e.name,message:e.message,stack:e.stack})) });
`

func TestFirst(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	for i := range 4 {
		t0 := time.Now()
		c, err := New(ctx, Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t1 := time.Now()
		m, err := c.Snapshot(ctx, []byte(tiny), "bundle.js", Identity{})
		if err != nil {
			t.Fatal(err)
		}
		t2 := time.Now()
		fmt.Println(i, t1.Sub(t0), t2.Sub(t1), len(c.core), c.base.Size(), len(c.base.Segments), len(m.WASM), m.ImageBytes, m.Pages, string(m.Describe))
		c.Close(ctx)
	}
}
