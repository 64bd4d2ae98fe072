package data

import (
	"encoding/json"
	"testing"
)

// The cost of each operation with flushing and without, on the disk that temporary files are on.
func Benchmark(b *testing.B) {
	value := json.RawMessage(`{"sku":"p-100","title":"A thing that is sold","price":1990,"tags":["a","b"]}`)
	for name, options := range map[string]Options{"flushed": {}, "volatile": {Volatile: true}} {
		s := open(b, b.TempDir(), options)
		f := records(b, s, "items")
		must(b, f.Put(b.Context(), "a", value))
		for op, do := range map[string]func() error{
			"put":    func() error { return f.Put(b.Context(), "a", value) },
			"get":    func() error { _, err := f.Get(b.Context(), "a"); return err },
			"append": func() error { return s.Append(b.Context(), "log", value, Rotation{}) },
			"newest": func() error { _, err := s.ReadNewest(b.Context(), "log", 10); return err },
		} {
			b.Run(op+"/"+name, func(b *testing.B) {
				for b.Loop() {
					must(b, do())
				}
			})
		}
	}
}
