package sandbox_test

import (
	"bytes"
	"context"
	"math/rand"
	"testing"

	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// tryModule loads a module that may be anything, and calls it if it can be loaded. What it must not do
// is panic, or run for ever.
func tryModule(t *testing.T, engine *sandbox.Engine, module []byte) (loaded bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	plugin, err := engine.Load(ctx, module, sandbox.Limits{MemoryPages: 256})
	if err != nil {
		return false
	}
	defer plugin.Close(ctx)
	i, err := plugin.Instance(ctx)
	if err != nil {
		return false
	}
	defer i.Close(ctx)
	_, _ = i.Call(ctx, sandbox.ExportTool, []byte(`"x"`), &ports{answer: func(context.Context, string) string { cancel(); return "{}" }})
	return true
}

// Bytes of the image are the guest's own memory: whatever they are, the sandbox holds.
func TestCorruptedImages(t *testing.T) {
	module := compile(t, `const handler = (x) => { native(3, ''); return [x, x + x].map((s) => s.length) }`)
	core, img, meta, err := image.Split(module)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewSource(1))
	loaded := 0
	for range 40 {
		broken := img.Clone()
		for range 1 + random.Intn(50) {
			s := broken.Segments[random.Intn(len(broken.Segments))]
			s.Bytes[random.Intn(len(s.Bytes))] ^= byte(1 + random.Intn(255))
		}
		again, err := image.Join(core, broken, meta)
		if err != nil {
			t.Fatal(err)
		}
		if tryModule(t, shared.engine, again) {
			loaded++
		}
	}
	if loaded < 20 {
		t.Errorf("only %d modules got as far as a call", loaded)
	}
}

// A module as small as one can be, so that a flipped bit anywhere, and an end anywhere, can be tried.
func TestCorruptedModules(t *testing.T) {
	engine := sandbox.NewEngine(sandbox.Options{})
	defer engine.Close(context.Background())
	for name, module := range map[string][]byte{
		"foreign":   foreign().Encode(),
		"disguised": disguised(t, foreign(), image.Meta{Engine: "x", Interrupt: 64}),
	} {
		t.Run(name, func(t *testing.T) {
			if !tryModule(t, engine, module) {
				t.Fatal("the module itself does not load")
			}
			random := rand.New(rand.NewSource(1))
			for range 150 {
				broken := bytes.Clone(module)
				broken[random.Intn(len(broken))] ^= 1 << random.Intn(8)
				tryModule(t, engine, broken)
			}
			for end := 0; end < len(module); end += 1 + len(module)/60 {
				// Cut between two sections, what is left is a module.
				tryModule(t, engine, module[:end])
			}
		})
	}
}

func TestSectionsOfAPackageCut(t *testing.T) {
	module := compile(t, `const handler = (x) => x`)
	sections, err := wasmbin.Sections(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if len(s.Body) == 0 {
			continue
		}
		for _, end := range []int{s.Offset, s.Offset + 1, s.Offset + len(s.Body) - 1} {
			if s.ID != wasmbin.SectionCustom && tryModule(t, shared.engine, module[:end]) {
				t.Errorf("a package that ends in section %d, at byte %d, was run", s.ID, end)
			}
		}
	}
}

func TestLyingPackages(t *testing.T) {
	core, img, meta, err := image.Split(compile(t, `const handler = (x) => x`))
	if err != nil {
		t.Fatal(err)
	}
	module, err := image.Join(core, img, meta)
	if err != nil {
		t.Fatal(err)
	}
	for name, lie := range map[string][2]string{
		"fewer core pages": {`"corePages":`, `"corePages":1,"x":`},
		"another core":     {`"core":"`, `"core":"0`},
		"another stack":    {`"stack":[`, `"stack":[1,2],"x":[`},
	} {
		t.Run(name, func(t *testing.T) {
			sections, err := wasmbin.Sections(module)
			if err != nil {
				t.Fatal(err)
			}
			lying := wasmbin.AppendPreamble(nil)
			for _, s := range sections {
				if s.ID == wasmbin.SectionCustom {
					s.Body = bytes.Replace(s.Body, []byte(lie[0]), []byte(lie[1]), 1)
				}
				lying = wasmbin.AppendSection(lying, s)
			}
			if bytes.Equal(lying, module) {
				t.Fatal("the lie was not told")
			}
			tryModule(t, shared.engine, lying)
		})
	}
	t.Run("overlapping segments", func(t *testing.T) {
		img := img.Clone()
		img.Segments = append(img.Segments, wasmbin.DataSegment{Offset: 0, Bytes: bytes.Repeat([]byte{0xff}, 1<<20)}, wasmbin.DataSegment{Offset: 5, Bytes: make([]byte, 100)})
		module, err := image.Join(core, img, meta)
		if err != nil {
			t.Fatal(err)
		}
		tryModule(t, shared.engine, module)
	})
}
