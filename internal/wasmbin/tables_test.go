package wasmbin

import (
	"bytes"
	"reflect"
	"testing"
)

func TestTables(t *testing.T) {
	body := []byte{2, 0x70, 0, 5, 0x6f, 1, 1, 0x80, 1}
	want := []Table{{FuncRef, Limits{Min: 5}}, {ExternRef, Limits{Min: 1, Max: 128, HasMax: true}}}
	tables, err := ParseTables(body)
	if err != nil || !reflect.DeepEqual(tables, want) {
		t.Fatalf("got %v, %v", tables, err)
	}
	if again := EncodeTables(tables); !bytes.Equal(again, body) {
		t.Errorf("encoded again: %v", again)
	}
	for name, body := range map[string][]byte{
		"nothing": {}, "a type that is none": {1, 0x7f, 0, 1}, "too few": {2, 0x70, 0, 1}, "too much": {1, 0x70, 0, 1, 0}, "limits that are none": {1, 0x70, 7, 1},
	} {
		if tables, err := ParseTables(body); err == nil {
			t.Errorf("%s: got %v", name, tables)
		}
	}
}
