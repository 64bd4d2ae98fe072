package cachedir

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
)

// emptyFunctions is a module of two functions that do nothing.
var emptyFunctions = []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x03\x02\x00\x00" + "\x0a\x07\x02\x02\x00\x0b\x02\x00\x0b")

// machineCode has the runtime compile a module into the folder, and returns the file.
func machineCode(t *testing.T, dir string) string {
	t.Helper()
	cache, disk := OpenMachineCode(dir)
	if !disk {
		t.Fatal("the cache is in memory")
	}
	defer cache.Close(t.Context())
	rt := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	defer rt.Close(t.Context())
	if _, err := rt.CompileModule(t.Context(), emptyFunctions); err != nil {
		t.Fatal(err)
	}
	var found []string
	eachMachineCode(dir, func(path string, _ bool) { found = append(found, path) })
	if len(found) != 1 {
		t.Fatalf("there are %q", found)
	}
	return found[0]
}

// Whatever byte of a file is damaged, the runtime gets to see the code alone, of which it has a checksum itself.
func TestDamagedMachineCodeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	path := machineCode(t, dir)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + sumSuffix); err == nil {
		t.Error("it is sealed already")
	}
	SealMachineCode(dir)
	sum, err := os.ReadFile(path + sumSuffix)
	if err != nil {
		t.Fatal(err)
	}
	length := bytes.Index(good, []byte(codeMagic)) + len(codeMagic) + 1 + int(good[len(codeMagic)]) + 4 + 2*8
	code := length + 8
	codeEnd := code + int(good[length]) + int(good[length+1])<<8
	if codeEnd >= len(good) {
		t.Fatalf("the form of the file is not what it was: code from %d to %d of %d", code, codeEnd, len(good))
	}
	check := func(what string, want bool) {
		t.Helper()
		checkMachineCodes(dir)
		_, err := os.Stat(path)
		if there := err == nil; there != want {
			t.Errorf("%s: it is there: %v", what, there)
		}
		_, err = os.Stat(path + sumSuffix)
		if there := err == nil; there != want {
			t.Errorf("%s: its checksum is there: %v", what, there)
		}
	}
	write := func(data, sum []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+sumSuffix, sum, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("as it was", true)
	for i := range good {
		if i >= code && i < codeEnd {
			continue
		}
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(good)
			damaged[i] ^= bit
			write(damaged, sum)
			check("byte", false)
		}
	}
	for _, n := range []int{0, 3, code - 1, code + 1, len(good) - 1} {
		write(good[:n], sum)
		check("cut off", false)
	}
	write(good, sum[:3])
	check("the checksum is damaged", false)

	// Without a checksum a file is taken as it is, if it is one.
	write(good, sum)
	os.Remove(path + sumSuffix)
	check("not sealed", true)
	write(good[:code-1], sum)
	os.Remove(path + sumSuffix)
	check("not sealed, and damaged", false)

	// It is made again when it is needed, and all of it goes when it is discarded.
	if machineCode(t, dir) != path {
		t.Error("it is another file")
	}
	SealMachineCode(dir)
	DiscardMachineCode(dir)
	if left, _ := filepath.Glob(filepath.Join(dir, "wazero-*", "*")); len(left) > 0 {
		t.Errorf("left behind: %s", strings.Join(left, " "))
	}
	SealMachineCode("")
}
