package cachedir

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero"
)

// OpenMachineCode gives the runtime's cache in the folder dir, and whether it is on the disk: without
// a folder, or with one that cannot be used, it is in memory.
func OpenMachineCode(dir string) (cache wazero.CompilationCache, disk bool) {
	if dir != "" {
		// The runtime opens whatever has the right name, and waits for ever for the writer of a pipe.
		removeMachineCode(dir, func(e fs.DirEntry) bool { return !e.Type().IsRegular() })
		checkMachineCodes(dir)
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			return cache, true
		}
	}
	return wazero.NewCompilationCache(), false
}

// DiscardMachineCode takes away what the runtime keeps in the folder dir. The runtime refuses a damaged
// file and leaves it there, so that every later run would fail in the same way; which file it is, it
// does not say.
func DiscardMachineCode(dir string) {
	removeMachineCode(dir, func(fs.DirEntry) bool { return true })
}

// removeMachineCode removes the chosen entries of the runtime's folders. The folders stay, since other
// processes may be about to write there. What cannot be removed costs time at the next run.
func removeMachineCode(dir string, chosen func(fs.DirEntry) bool) {
	folders, _ := os.ReadDir(dir)
	for _, folder := range folders {
		if !folder.IsDir() || !strings.HasPrefix(folder.Name(), "wazero-") {
			continue
		}
		files, _ := os.ReadDir(filepath.Join(dir, folder.Name()))
		for _, file := range files {
			if chosen(file) {
				_ = os.RemoveAll(filepath.Join(dir, folder.Name(), file.Name()))
			}
		}
	}
}
