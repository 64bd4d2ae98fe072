package wasm

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// The sources of the linker are in the binary so that a core linked by other ones is never taken
// from the cache: a version number that somebody has to raise would be forgotten.
var (
	//go:embed link.go
	linkSource string
	//go:embed glue.go
	glueSource string
	//go:embed native.go
	nativeSource string
	//go:embed cells.go
	cellsSource string
)

// coreFile is where the core that this program would link is kept.
func coreFile(cacheDir string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %d %s ", image.Format, engineVersion, len(quickjs.QuickJSWASM), wasmbin.Fingerprint())
	for _, source := range []string{linkSource, glueSource, nativeSource, cellsSource} {
		fmt.Fprintf(h, "%d %s", len(source), source)
	}
	return filepath.Join(cacheDir, "core-"+hex.EncodeToString(h.Sum(nil))[:16]+".wasm")
}

// sumLength is the length of the checksum at the end of a cached file.
const sumLength = sha256.Size

// readCache reads a file that writeCache wrote; damaged ones are an error. Every package would get
// what is wrong with it, so the whole of it is checked.
func readCache(file string) ([]byte, error) {
	// A pipe in the place of the file would make its reader wait for ever.
	if info, err := os.Lstat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if len(data) < sumLength {
		return nil, fmt.Errorf("%s is damaged", file)
	}
	data, sum := data[:len(data)-sumLength], data[len(data)-sumLength:]
	if sha256.Sum256(data) != [sumLength]byte(sum) {
		return nil, fmt.Errorf("%s is damaged", file)
	}
	return data, nil
}

// writeCache writes a file that is the old or the new one for whoever reads it.
func writeCache(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".core-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	sum := sha256.Sum256(data)
	_, err = temp.Write(data)
	if err == nil {
		_, err = temp.Write(sum[:])
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}
