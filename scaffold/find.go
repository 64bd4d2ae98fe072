package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/internal/jsonedit"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
)

const (
	manifestFile      = "package.json"
	plainManifestFile = "neuralis.package.json"
)

// maxManifest is the size of manifests that are read, in bytes, as in package manifest.
const maxManifest = 1 << 20

// Find gives the package that a folder is in: the folder itself or the nearest
// one above it that has a manifest. A package.json without a "neuralis" key
// belongs to something else and is passed over.
func Find(dir string) (string, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	var broken error
	for at := start; ; at = filepath.Dir(at) {
		source, err := regularfile.Read(filepath.Join(at, manifestFile), maxManifest)
		switch {
		case err == nil:
			document, err := jsonedit.Parse(source)
			if err != nil {
				// It may be the manifest, but only if nothing above is one.
				broken = errors.Join(broken, fmt.Errorf("%s: %w", filepath.Join(at, manifestFile), err))
			} else if document.Has("neuralis") {
				return at, nil
			}
		case errors.Is(err, regularfile.ErrNotRegular) || errors.As(err, new(*regularfile.TooLargeError)):
			broken = errors.Join(broken, fmt.Errorf("%s: %w", filepath.Join(at, manifestFile), errors.Unwrap(err)))
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("looking for a package: %w", err)
		}
		if _, err := os.Stat(filepath.Join(at, plainManifestFile)); err == nil {
			return at, nil
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	if broken != nil {
		return "", refusef("no readable manifest: %v", broken)
	}
	return "", refusef("%s is in no package: go into one, name one with --dir, or start one with \"neuralis new\"", start)
}
