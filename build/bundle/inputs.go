package bundle

import (
	"encoding/json"
	"sort"
	"strings"
)

// InputFile is one file that went into a bundle.
type InputFile struct {
	// Path is as in the source map: relative to the package folder, or "neuralis:…" for a
	// module of the guest library.
	Path string `json:"path"`
	// Bytes is the file's size, and BytesInOutput how much of the bundle came from it.
	Bytes         int `json:"bytes"`
	BytesInOutput int `json:"bytesInOutput"`
}

// listInputs reads the bundler's report.
func listInputs(metafile string) ([]InputFile, error) {
	var report struct {
		Inputs map[string]struct {
			Bytes int `json:"bytes"`
		} `json:"inputs"`
		Outputs map[string]struct {
			Inputs map[string]struct {
				BytesInOutput int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &report); err != nil {
		return nil, err
	}
	list := make([]InputFile, 0, len(report.Inputs))
	for name, input := range report.Inputs {
		if strings.HasPrefix(name, globalsPrefix) {
			continue
		}
		file := InputFile{Path: name, Bytes: input.Bytes}
		for _, output := range report.Outputs {
			file.BytesInOutput += output.Inputs[name].BytesInOutput
		}
		if file.BytesInOutput == 0 && strings.HasPrefix(name, guestNamespace+":") {
			continue // offered, and not used
		}
		list = append(list, file)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Path < list[j].Path })
	return list, nil
}

// mentionsOutside looks for an input outside the package folder without decoding the report,
// which for a large bundle would cost as much as making it. Inputs are keys on
// lines of their own; a path inside the package never begins with "../" or "/".
func mentionsOutside(metafile string) bool {
	for _, line := range []string{"\n    \"../", "\n    \"/"} {
		if strings.Contains(metafile, line) {
			return true
		}
	}
	// An absolute name with a drive, where the package lies on another one.
	return strings.Contains(metafile, ":\\\\") || strings.Contains(metafile, ":/")
}
