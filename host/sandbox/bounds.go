package sandbox

import (
	"fmt"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// The bounds of code that is not this toolchain's. The limit of linear memory says nothing about either.
const (
	// maxEntries is how many entries the tables of a plug-in may have in all; each takes 8 bytes of the host's.
	maxEntries = 1 << 20
	// maxFunctions is how many functions a plug-in may have. What compiles them cannot be interrupted.
	maxFunctions = 200_000
)

// bounded returns a module whose tables do not grow beyond what is allowed.
func bounded(module []byte) ([]byte, error) {
	sections, err := wasmbin.Sections(module)
	if err != nil {
		return nil, err
	}
	out := wasmbin.AppendPreamble(make([]byte, 0, len(module)+16))
	for _, s := range sections {
		switch s.ID {
		case wasmbin.SectionFunction:
			if n, err := wasmbin.Count(s.Body); err != nil {
				return nil, err
			} else if n > maxFunctions {
				return nil, fmt.Errorf("it has %d functions; at most %d are allowed", n, maxFunctions)
			}
		case wasmbin.SectionTable:
			tables, err := wasmbin.ParseTables(s.Body)
			if err != nil {
				return nil, err
			}
			if s.Body, err = boundTables(tables); err != nil {
				return nil, err
			}
		}
		out = wasmbin.AppendSection(out, s)
	}
	return out, nil
}

// boundTables gives each table its share of the entries that there may be, or what it begins with.
func boundTables(tables []wasmbin.Table) ([]byte, error) {
	left := uint64(maxEntries)
	for _, t := range tables {
		if uint64(t.Limits.Min) > left {
			return nil, fmt.Errorf("its tables begin with more than the %d entries that are allowed", maxEntries)
		}
		left -= uint64(t.Limits.Min)
	}
	for i := range tables {
		l := &tables[i].Limits
		most := l.Min + uint32(left/uint64(len(tables)))
		if !l.HasMax || l.Max > most {
			l.HasMax, l.Max = true, most
		}
	}
	return wasmbin.EncodeTables(tables), nil
}
