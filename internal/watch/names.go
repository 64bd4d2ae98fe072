package watch

import (
	"path/filepath"
	"strings"
)

// probePrefix begins the names of the files that test whether notifications arrive. They are gone in a moment.
const probePrefix = ".neuralis-probe-"

// unwatched are folders whose content is nobody's source.
var unwatched = map[string]bool{"node_modules": true, ".git": true, ".hg": true, ".svn": true, ".jj": true}

// passing reports whether a name is that of a file or folder that never matters: what editors write beside the file that is
// being edited, what version control and npm keep, what file managers leave.
func passing(name string) bool {
	switch {
	case unwatched[name], name == ".DS_Store", strings.HasPrefix(name, probePrefix):
		return true
	case name == "4913": // Vim finds out with it whether it may write in the folder
		return true
	case strings.HasSuffix(name, "~"): // backups of Vim, Emacs, Kate, gedit
		return true
	case strings.HasPrefix(name, ".#"): // Emacs's locks
		return true
	case len(name) > 2 && name[0] == '#' && name[len(name)-1] == '#': // Emacs's auto-saves
		return true
	case strings.HasSuffix(name, "___jb_tmp___"), strings.HasSuffix(name, "___jb_old___"): // JetBrains' safe writes
		return true
	case strings.HasPrefix(name, ".goutputstream-"): // GLib, in gedit
		return true
	}
	switch ext := filepath.Ext(name); {
	case ext == ".swpx":
		return true
	case len(ext) == 4 && strings.HasPrefix(ext, ".sw") && ext[3] >= 'j' && ext[3] <= 'p' || ext == ".swx": // Vim's swap files: .swp, then .swo…
		return strings.HasPrefix(name, ".")
	}
	return false
}

// within reports whether a clean path is a folder or below it.
func within(path, dir string) bool {
	if !strings.HasPrefix(path, dir) {
		return false
	}
	return len(path) == len(dir) || path[len(dir)] == filepath.Separator || dir[len(dir)-1] == filepath.Separator
}

// moved is path, which is within from, as it is called when from is called to.
func moved(path, from, to string) string {
	return filepath.Join(to, path[len(from):])
}
