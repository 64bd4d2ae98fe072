package wasmbin

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"
)

func TestParseAndEncode(t *testing.T) {
	start := uint32(2)
	m := testModule(NewAssembler(5).Body())
	m.Start = &start
	m.FuncNames = map[uint32]string{}
	module := m.Encode()
	got, err := Parse(module)
	if err != nil {
		t.Fatal(err)
	}
	got.Start, m.Start = &start, &start
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", m) { // which takes nil and empty for the same
		t.Errorf("got  %+v\nwant %+v", got, m)
	}
	if !bytes.Equal(got.Encode(), module) {
		t.Error("encoded again it differs")
	}
	if err := newValidator(t).validate(module); err != nil {
		t.Error(err)
	}
}

func TestNames(t *testing.T) {
	names := AppendU32(nil, 2)
	for i, name := range []string{"first", "second"} {
		names = appendName(AppendU32(names, uint32(i)), name)
	}
	section := func(body []byte) []byte {
		return AppendSection(testModule(NewAssembler(5).Body()).Encode(), Section{ID: SectionCustom, Name: "name", Body: body})
	}
	m, err := Parse(section(appendBlob([]byte{0, 1, 0, 1}, names)))
	if err != nil || m.FuncNames[0] != "first" || m.FuncNames[1] != "second" {
		t.Errorf("got %v, %v", m.FuncNames, err)
	}
	// A broken name section is no broken module.
	if _, err := Parse(section([]byte{1, 200, 1})); err != nil {
		t.Error(err)
	}
}

// sections is a module of raw sections: id, body.
func rawModule(parts ...any) []byte {
	b := AppendPreamble(nil)
	for i := 0; i < len(parts); i += 2 {
		b = append(b, byte(parts[i].(SectionID)))
		b = appendBlob(b, []byte(parts[i+1].(string)))
	}
	return b
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		module []byte
		want   string
	}{
		{"nothing", nil, "not a WebAssembly module"},
		{"text", []byte("(module)"), "not a WebAssembly module"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), "not a core module"},
		{"a section that is cut", rawModule(SectionType, "\x00")[:9], "unexpected end"},
		{"a section larger than the module", append(AppendPreamble(nil), 1, 0xff, 0xff, 0xff, 0xff, 0x0f), "unexpected end"},
		{"an unknown section", rawModule(SectionID(13), "\x00"), "unknown section id 13"},
		{"a custom section without a name", rawModule(SectionCustom, ""), "unexpected end"},
		{"two type sections", rawModule(SectionType, "\x00", SectionType, "\x00"), "out of order"},
		{"sections out of order", rawModule(SectionImport, "\x00", SectionType, "\x00"), "out of order"},
		{"bytes behind a section's content", rawModule(SectionType, "\x00\x00"), "longer than its content"},
		{"bytes behind the memories", rawModule(SectionMemory, "\x01\x00\x01\x00"), "longer than its content"},
		{"bytes behind the data", rawModule(SectionData, "\x00\x00"), "longer than its content"},
		{"more types than bytes", rawModule(SectionType, "\xff\xff\x03"), "cannot fit"},
		{"a type that is no function", rawModule(SectionType, "\x01\x5f\x00"), "unsupported type form"},
		{"a vector parameter", rawModule(SectionType, "\x01\x60\x01\x7b\x00"), "unsupported value type"},
		{"an imported memory", rawModule(SectionImport, "\x01\x01e\x01m\x02\x00\x01"), `import "e"."m" is no function`},
		{"an import of no type", rawModule(SectionImport, "\x01\x01e\x01m\x00\x00"), "an import's type refers to 0"},
		{"a function of no type", rawModule(SectionFunction, "\x01\x07", SectionCode, "\x01\x02\x00\x0b"), "a function's type refers to 7"},
		{"functions without code", rawModule(SectionFunction, "\x01\x00"), "1 functions without a body"},
		{"code without functions", rawModule(SectionCode, "\x01\x02\x00\x0b"), "1 function bodies for 0"},
		{"a shared memory", rawModule(SectionMemory, "\x01\x03\x01\x01"), "limits of kind 3"},
		{"a 64-bit memory", rawModule(SectionMemory, "\x01\x04\x01"), "limits of kind 4"},
		{"a table of integers", rawModule(SectionTable, "\x01\x7f\x00\x01"), "a table of type 0x7f"},
		{"a global of odd mutability", rawModule(SectionGlobal, "\x01\x7f\x02\x41\x00\x0b"), "mutability 2"},
		{"a global that is a function", rawModule(SectionGlobal, "\x01\x70\x00\xd2\x00\x0b"), "starts as a function"},
		{"an export of no function", rawModule(SectionExport, "\x01\x01x\x00\x05"), "export x refers to 5"},
		{"an exported tag", rawModule(SectionExport, "\x01\x01x\x04\x00"), `export "x" of kind 4`},
		{"a start that does not exist", rawModule(SectionStart, "\x00"), "the start section refers to 0"},
		{"a passive element segment", rawModule(SectionElement, "\x01\x01\x00\x00"), "element segment of kind 1"},
		{"an element that does not exist", rawModule(SectionElement, "\x01\x00\x41\x00\x0b\x01\x09"), "an element segment refers to 9"},
		{"elements at a global's position", rawModule(SectionElement, "\x01\x00\x23\x00\x0b\x00"), "no constant"},
		{"a passive data segment", rawModule(SectionData, "\x01\x01\x01x"), "passive data segment"},
		{"data of a second memory", rawModule(SectionData, "\x01\x02\x01\x41\x00\x0b\x00"), "second memory"},
		{"data at a computed address", rawModule(SectionData, "\x01\x00\x41\x00\x41\x00\x6a\x0b\x00"), "computed address"},
		{"data that is cut", rawModule(SectionData, "\x01\x00\x41\x00\x0b\x05x"), "unexpected end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := Parse(tc.module)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v; want %q", err, tc.want)
			}
			var format *FormatError
			if !errors.As(err, &format) && !errors.Is(err, ErrTruncated) {
				t.Errorf("an error of another kind: %T", err)
			}
		})
	}
}

// Errors name the byte of the module, not of the section.
func TestErrorsNameTheByte(t *testing.T) {
	module := rawModule(SectionType, "\x00", SectionData, "\x01\x01\x01x")
	_, err := Parse(module)
	var format *FormatError
	if !errors.As(err, &format) || format.Offset != len(module)-2 {
		t.Errorf("got %v in a module of %d bytes", err, len(module))
	}
}

func TestParseAgreesWithParts(t *testing.T) {
	segments := []DataSegment{{0, []byte("a")}, {0xfffffff0, []byte("end")}, {5, nil}}
	section := AppendSection([]byte("x"), Section{ID: SectionData, Body: EncodeData(segments)})
	if got := AppendData([]byte("x"), segments); !bytes.Equal(got, section) || DataSize(segments) != len(EncodeData(segments)) {
		t.Errorf("as a section it is %x, want %x", got, section)
	}
	got, err := ParseData(EncodeData(segments))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(segments) {
		t.Errorf("got %v, %v", got, err)
	}
	memories := []Limits{{Min: 1}, {Min: 2, Max: 65536, HasMax: true}}
	limits, err := ParseMemories(EncodeMemories(memories))
	if err != nil || !reflect.DeepEqual(limits, memories) {
		t.Errorf("got %v, %v", limits, err)
	}
}

// The engine is the largest module there is for this package, and the reason for it.
func TestEngine(t *testing.T) {
	v := newValidator(t)
	m, err := Parse(quickjs.QuickJSWASM)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.FuncNames) < len(m.Funcs)/2 {
		t.Errorf("only %d names for %d functions", len(m.FuncNames), len(m.Funcs))
	}
	if err := v.validate(m.Encode()); err != nil {
		t.Errorf("encoded again: %v", err)
	}
	if err := v.validate(shifted(t, m).Encode()); err != nil {
		t.Errorf("with another import, guards and checks: %v", err)
	}
}
