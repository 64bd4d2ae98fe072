package devserver

import (
	"fmt"
	"path/filepath"
	"testing"
)

// BenchmarkSave is the time from a look at a changed file to the new answer.
func BenchmarkSave(b *testing.B) {
	for _, others := range []int{0, 99} {
		b.Run(fmt.Sprintf("%d other packages", others), func(b *testing.B) {
			files := map[string]string{"_packages/shop/package.json": wasmPackage, "_packages/shop/src/tools/a.ts": answering("one")}
			for i := range others {
				name := fmt.Sprintf("p%d", i)
				files["_packages/"+name+"/package.json"] = `{"name":"` + name + `","version":"1.0.0","neuralis":{"runtime":{"type":"wasm"}}}`
				files["_packages/"+name+"/src/tools/"+name+".ts"] = answering(name)
			}
			d := newDesk(b, files)
			d.save(nil)
			b.ResetTimer()
			for i := range b.N {
				want := fmt.Sprint("answer ", i)
				d.put(map[string]string{"_packages/shop/src/tools/a.ts": answering(want)})
				if err := d.project.Refresh(b.Context(), []string{filepath.Join(d.dir, "_packages/shop/src/tools/a.ts")}); err != nil {
					b.Fatal(err)
				}
				if got := d.call("a"); got != want {
					b.Fatalf("%q is answered", got)
				}
			}
		})
	}
}
