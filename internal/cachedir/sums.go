package cachedir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/atomicfile"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

// The runtime keeps a checksum of machine code, but none of the numbers around it: how many functions there are, and
// where they begin. A wrong number there ends the process, or starts a function in its middle. So beside each file lies
// one with a checksum of these parts, and files that differ from it go before the runtime reads them. Code itself is
// not read here, which takes as long as the rest of a start.

// sumSuffix ends the names of files with checksums.
const sumSuffix = ".sum"

// SealMachineCode writes down what the files look like that the runtime has made in the folder dir since it was opened.
// Those that nobody sealed are taken as they are when the folder is next opened.
func SealMachineCode(dir string) {
	eachMachineCode(dir, func(path string, sealed bool) {
		if !sealed {
			checkMachineCode(path)
		}
	})
}

// checkMachineCodes removes the files that are damaged.
func checkMachineCodes(dir string) {
	eachMachineCode(dir, func(path string, _ bool) { checkMachineCode(path) })
}

// eachMachineCode calls found for the runtime's files.
func eachMachineCode(dir string, found func(path string, sealed bool)) {
	if dir == "" {
		return
	}
	folders, _ := os.ReadDir(dir)
	for _, folder := range folders {
		if !folder.IsDir() || !strings.HasPrefix(folder.Name(), "wazero-") {
			continue
		}
		within := filepath.Join(dir, folder.Name())
		files, _ := os.ReadDir(within)
		names := make(map[string]bool, len(files))
		for _, file := range files {
			names[file.Name()] = true
		}
		for _, file := range files {
			if name := file.Name(); file.Type().IsRegular() && !strings.Contains(name, ".") {
				found(filepath.Join(within, name), names[name+sumSuffix])
			}
		}
	}
}

// checkMachineCode compares a file with its checksum, which it makes where there is none, and removes it where it is
// damaged. What cannot be done costs time at the next run.
func checkMachineCode(path string) {
	sum, err := sumAround(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		known, missing := regularfile.Read(path+sumSuffix, 256)
		switch {
		case missing == nil && string(known) == sum:
			return
		case errors.Is(missing, fs.ErrNotExist):
			_ = atomicfile.WriteFile(path+sumSuffix, []byte(sum), 0o600)
			return
		}
	}
	_ = os.Remove(path)
	_ = os.RemoveAll(path + sumSuffix)
}

// The form of the runtime's files: "WAZEVO", the length of a version and the version, the number of functions in 4
// bytes, the place of each in 8, the length of the code in 8, the code, and what belongs to it (wazero v1.12.0,
// internal/engine/wazevo/engine_cache.go).
const (
	codeMagic    = "WAZEVO"
	maxFunctions = 1 << 20
	maxBehind    = 64 << 20
)

var errDamaged = errors.New("it is no machine code of this runtime")

// sumAround is the checksum of all in a file but the code, and of its size.
func sumAround(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	size := info.Size()
	head := make([]byte, min(size, 16<<10))
	if _, err := io.ReadFull(file, head); err != nil {
		return "", err
	}
	at := len(codeMagic) + 1
	if len(head) < at || string(head[:len(codeMagic)]) != codeMagic {
		return "", errDamaged
	}
	at += int(head[len(codeMagic)])
	if len(head) < at+4 {
		return "", errDamaged
	}
	functions := int64(binary.LittleEndian.Uint32(head[at:]))
	code := int64(at) + 4 + 8*functions + 8 // where it begins
	if functions > maxFunctions || code > size {
		return "", errDamaged
	}
	if missing := code - int64(len(head)); missing > 0 {
		more := make([]byte, missing)
		if _, err := io.ReadFull(file, more); err != nil {
			return "", err
		}
		head = append(head, more...)
	}
	head = head[:code]
	length := binary.LittleEndian.Uint64(head[code-8:])
	if length > uint64(size-code) || size-code-int64(length) > maxBehind {
		return "", errDamaged
	}
	behind := make([]byte, size-code-int64(length))
	if _, err := file.ReadAt(behind, code+int64(length)); err != nil && !(err == io.EOF && len(behind) == 0) {
		return "", err
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	return fmt.Sprintf("%d %08x\n", size, crc32.Update(crc32.Checksum(head, table), table, behind)), nil
}
