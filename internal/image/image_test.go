package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// testCore is a core as small as one can be: a memory and one function.
func testCore(memories ...wasmbin.Limits) []byte {
	return (&wasmbin.Module{
		Types:    []wasmbin.FuncType{{}},
		Funcs:    []wasmbin.Func{{Type: 0, Body: wasmbin.NewAssembler(0).Body()}},
		Memories: memories,
		Exports:  []wasmbin.Export{{Name: "run", Kind: wasmbin.ExternFunc}},
	}).Encode()
}

func join(t testing.TB, img Image) []byte {
	t.Helper()
	module, err := Join(testCore(wasmbin.Limits{Min: 1}), img, Meta{Engine: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestJoinAndSplit(t *testing.T) {
	core := testCore(wasmbin.Limits{Min: 1})
	meta := Meta{Toolchain: "1", Engine: "e", Interrupt: 8, Stack: [2]uint32{16, 32}, Package: json.RawMessage(`{"tools":[]}`), ID: "p", Version: "2"}
	img := Image{Pages: 3, Segments: []wasmbin.DataSegment{{Offset: 0, Bytes: []byte("start")}, {Offset: 3*wasmbin.PageSize - 3, Bytes: []byte("end")}}}
	module, err := Join(core, img, meta)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wasmbin.Parse(module); err != nil {
		t.Fatalf("the module is malformed: %v", err)
	}
	gotCore, gotImage, gotMeta, err := Split(module)
	if err != nil {
		t.Fatal(err)
	}
	meta.Format, meta.Core, meta.CorePages = Format, CoreHash(core), 1
	if fmt.Sprintf("%+v", gotMeta) != fmt.Sprintf("%+v", meta) {
		t.Errorf("got %+v", gotMeta)
	}
	if !bytes.Equal(gotCore, core) || fmt.Sprint(gotImage) != fmt.Sprint(img) {
		t.Errorf("got %v", gotImage)
	}
	if read, err := ReadMeta(module); err != nil || read.ID != "p" {
		t.Errorf("got %+v, %v", read, err)
	}
	again, err := Join(gotCore, gotImage, gotMeta)
	if err != nil || !bytes.Equal(again, module) {
		t.Errorf("joined again it differs: %v", err)
	}
}

func TestJoinRefuses(t *testing.T) {
	one := wasmbin.Limits{Min: 1}
	custom := wasmbin.AppendSection(testCore(one), wasmbin.Section{ID: wasmbin.SectionCustom, Name: "x"})
	data := (&wasmbin.Module{Memories: []wasmbin.Limits{one}, Data: []wasmbin.DataSegment{{Bytes: []byte("x")}}}).Encode()
	for _, tc := range []struct {
		name string
		core []byte
		want string
	}{
		{"no module", []byte("x"), "not a WebAssembly module"},
		{"no memory", testCore(), "a core needs a memory"},
		{"two memories", testCore(one, one), "does not fit the image"},
		{"a memory larger than the image", testCore(wasmbin.Limits{Min: 3}), "does not fit the image"},
		{"data", data, "a core has no section of kind 11"},
		{"a custom section", custom, "a core has no section of kind 0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := Join(tc.core, Image{Pages: 2}, Meta{}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v; want %q", err, tc.want)
			}
		})
	}
}

func TestSplitRefuses(t *testing.T) {
	meta := func(module []byte, text string) []byte {
		return wasmbin.AppendSection(module, wasmbin.Section{ID: wasmbin.SectionCustom, Name: SectionName, Body: []byte(text)})
	}
	one := wasmbin.Limits{Min: 1}
	outside := (&wasmbin.Module{Memories: []wasmbin.Limits{one}, Data: []wasmbin.DataSegment{{Offset: wasmbin.PageSize - 1, Bytes: []byte("xy")}}}).Encode()
	passive := wasmbin.AppendSection(testCore(one), wasmbin.Section{ID: wasmbin.SectionData, Body: []byte{1, 1, 1, 'x'}})
	for _, tc := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"no module", []byte("x"), "not a WebAssembly module"},
		{"unreadable meta", meta(testCore(one), `{"format":`), "the neuralis section is unreadable"},
		{"meta of other types", meta(testCore(one), `{"format":1,"interrupt":-1}`), "the neuralis section is unreadable"},
		{"another format", meta(testCore(one), `{"format":2}`), "format 2; this version reads format 1"},
		{"no memory", meta(testCore(), `{"format":1}`), "no memory of its own"},
		{"two memories", meta(testCore(one, one), `{"format":1}`), "does not fit its description"},
		{"a core larger than the module", meta(testCore(one), `{"format":1,"corePages":2}`), "does not fit its description"},
		{"more memory than there is", meta(testCore(wasmbin.Limits{Min: 65537}), `{"format":1}`), "does not fit its description"},
		{"data outside the memory", meta(outside, `{"format":1}`), "lies outside the memory"},
		{"passive data", meta(passive, `{"format":1}`), "passive data segment"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, _, _, err := Split(tc.module); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v; want %q", err, tc.want)
			}
		})
	}
	if _, _, _, err := Split(testCore(one)); !errors.Is(err, ErrForeign) {
		t.Errorf("a module of somebody else: %v", err)
	}
}

func TestCapture(t *testing.T) {
	const size = 2 * wasmbin.PageSize
	for _, tc := range []struct {
		name string
		set  []int // addresses of non-zero bytes
		want string
	}{
		{"nothing", nil, ""},
		{"first and last byte", []int{0, size - 1}, "0+1 131071+1"},
		{"a short run of zeros stays inside", []int{100, 100 + gap}, "100+10"},
		{"a long run of zeros separates", []int{100, 101 + gap}, "100+1 110+1"},
		{"across pages", []int{wasmbin.PageSize - 1, wasmbin.PageSize}, "65535+2"},
		{"the stack is left out", []int{999, 1000, 1500, 1999, 2000}, "999+1 2000+1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			memory := make([]byte, size)
			for _, at := range tc.set {
				memory[at] = 7
			}
			var got []string
			for _, s := range Capture(memory, 1000, 2000).Segments {
				got = append(got, fmt.Sprintf("%d+%d", s.Offset, len(s.Bytes)))
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("got %v; want %s", got, tc.want)
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	img := Image{Pages: 1, Segments: []wasmbin.DataSegment{{Offset: 0xffffffff, Bytes: []byte("xy")}}}
	if err := img.Restore(make([]byte, wasmbin.PageSize)); err == nil {
		t.Error("a segment outside the memory was written")
	}
}

func TestCloneSharesNothing(t *testing.T) {
	_, img, _, err := Split(join(t, Image{Pages: 1, Segments: []wasmbin.DataSegment{{Offset: 1, Bytes: []byte("abc")}, {Offset: 90, Bytes: []byte("d")}}}))
	if err != nil {
		t.Fatal(err)
	}
	clone := img.Clone()
	if fmt.Sprint(clone) != fmt.Sprint(img) {
		t.Fatalf("got %v", clone)
	}
	img.Segments[0].Bytes[0] = 'X'
	if clone.Segments[0].Bytes[0] != 'a' {
		t.Error("the clone shares memory")
	}
}

// roundTrip sends a memory through a module and compares what comes back.
func roundTrip(t testing.TB, memory []byte, skipFrom, skipTo uint32) {
	t.Helper()
	core, img, _, err := Split(join(t, Capture(memory, skipFrom, skipTo)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(core, testCore(wasmbin.Limits{Min: 1})) {
		t.Fatal("the core changed")
	}
	got := make([]byte, len(memory))
	if err := img.Restore(got); err != nil {
		t.Fatal(err)
	}
	clear(memory[skipFrom:skipTo])
	if !bytes.Equal(got, memory) {
		t.Fatal("the memory changed")
	}
	end := uint32(0)
	for _, s := range img.Segments {
		if s.Offset < end || len(s.Bytes) == 0 {
			t.Fatalf("segment of %d bytes at %d follows one that ends at %d", len(s.Bytes), s.Offset, end)
		}
		end = s.Offset + uint32(len(s.Bytes))
	}
}

func TestRandomMemories(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, density := range []float64{0, 0.0001, 0.01, 0.05, 0.1, 0.5, 1} {
		memory := make([]byte, 3*wasmbin.PageSize)
		for i := range memory {
			if random.Float64() < density {
				memory[i] = byte(random.Intn(256))
			}
		}
		from := uint32(random.Intn(len(memory)))
		roundTrip(t, memory, from, from+uint32(random.Intn(len(memory)-int(from))))
	}
}

// FuzzRoundTrip: the input is a list of runs, three bytes each: how far to go, how long, which byte.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte{0, 1, 1, 255, 255, 9}, uint32(0), uint32(0))
	f.Add(bytes.Repeat([]byte{15, 1, 1, 16, 2, 3}, 50), uint32(40), uint32(300))
	f.Fuzz(func(t *testing.T, runs []byte, skipFrom, length uint32) {
		memory := make([]byte, wasmbin.PageSize)
		for at := 0; len(runs) >= 3; runs = runs[3:] {
			at += int(runs[0])
			for range runs[1] {
				if at < len(memory) {
					memory[at] = runs[2]
				}
				at++
			}
		}
		skipFrom %= uint32(len(memory))
		length %= uint32(len(memory)) - skipFrom
		roundTrip(t, memory, skipFrom, skipFrom+length)
	})
}

// FuzzSplit: whatever the bytes, nothing panics; what is accepted fits its memory and can be joined again.
func FuzzSplit(f *testing.F) {
	f.Add(join(f, Image{Pages: 1}))
	f.Add(join(f, Image{Pages: 2, Segments: []wasmbin.DataSegment{{Offset: 9, Bytes: []byte("segment")}, {Offset: 70000, Bytes: []byte{1}}}}))
	f.Fuzz(func(t *testing.T, module []byte) {
		core, img, meta, err := Split(module)
		if err != nil {
			return
		}
		if img.Pages <= 64 {
			if err := img.Restore(make([]byte, img.Pages*wasmbin.PageSize)); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Join(core, img, meta)
		if err != nil {
			t.Fatalf("what was split cannot be joined: %v", err)
		}
		second, secondImage, _, err := Split(again)
		if err != nil || !bytes.Equal(second, core) || fmt.Sprint(secondImage) != fmt.Sprint(img) {
			t.Fatalf("split again it differs: %v", err)
		}
	})
}
