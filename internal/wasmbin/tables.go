package wasmbin

import "fmt"

// ParseTables reads a table section.
func ParseTables(body []byte) ([]Table, error) {
	r := &reader{buf: body}
	var tables []Table
	for range r.count("tables") {
		t := Table{Type: ValueType(r.byte())}
		if r.err == nil && t.Type != FuncRef && t.Type != ExternRef {
			r.fail(fmt.Sprintf("a table of type %#x is not supported", byte(t.Type)))
		}
		t.Limits = r.limits()
		if r.err != nil {
			return nil, r.err
		}
		tables = append(tables, t)
	}
	if r.err == nil && r.pos != len(body) {
		r.fail("bytes after the last table")
	}
	return tables, r.err
}

// EncodeTables is the inverse of ParseTables.
func EncodeTables(tables []Table) []byte {
	b := AppendU32(nil, uint32(len(tables)))
	for _, t := range tables {
		b = appendLimits(append(b, byte(t.Type)), t.Limits)
	}
	return b
}

// Count is how many items a section has that begins with their number, as all do but the start and custom ones.
func Count(body []byte) (uint32, error) {
	r := &reader{buf: body}
	n := r.u32()
	return n, r.err
}
