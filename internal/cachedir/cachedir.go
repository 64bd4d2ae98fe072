// Package cachedir says where machine code may be kept.
//
// What lies in the folder is executed, so it must be the user's own: nobody else may be able to
// write there. Where there is no such folder nothing is kept, which costs time and nothing else.
package cachedir

import (
	"fmt"
	"os"
	"path/filepath"
)

// Variable is the environment variable that names the folder.
const Variable = "NEURALIS_CACHE_DIR"

// Find returns the folder, made if it is not there, or empty when nothing can be kept. A warning says why
// a folder that somebody named, or that is there, is not used.
func Find(getenv func(string) string) (dir, warning string) {
	dir = getenv(Variable)
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", "" // no home: a place that everybody shares would be no better than none
		}
		dir = filepath.Join(base, "neuralis")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Sprintf("nothing is cached: %v", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Sprintf("nothing is cached: %v", err)
	}
	if why := unsafe(info); why != "" {
		return "", fmt.Sprintf("the cache folder %s is not used: %s", dir, why)
	}
	return dir, ""
}
