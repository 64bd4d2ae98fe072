package mcpapi_test

import (
	"fmt"
	"testing"

	"github.com/neuralis-dev/neuralis/host/mcpapi"
)

// BenchmarkChanged is what a change costs with a client that is connected, in a project of 100 packages.
func BenchmarkChanged(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		dir := fmt.Sprintf("_packages/p%d/", i)
		files[dir+"package.json"] = pkg(fmt.Sprintf("p%d", i), "")
		files[dir+"dist/package.wasm"] = emptyModule
		files[dir+"docs/guide.md"] = "x"
		files[dir+"skills/s/SKILL.md"] = fmt.Sprintf("---\nname: s-%d\ndescription: A skill\n---\n", i)
		for j := range 5 {
			files[dir+fmt.Sprintf("tools/t%d_%d.json", i, j)] = tool(`"properties":{"query":{"type":"string","maxLength":100,"description":"A word to look for"},"limit":{"type":"integer","minimum":1,"maximum":50,"default":10}},"required":["query"],"additionalProperties":false,`, "")
		}
	}
	h := newFake(b, files)
	s := newServer(b, mcpapi.Options{Host: h})
	connect(b, s, ada, nil)
	for b.Loop() {
		b.StopTimer()
		h.rescan()
		b.StartTimer()
		s.Changed()
	}
}
