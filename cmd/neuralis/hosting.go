package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/host/config"
	"github.com/neuralis-dev/neuralis/host/logs"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

// place is where a command runs a host: the config that holds there, and the file that it is from.
type place struct {
	Config *config.Config
	// File is the config's file, absolute; empty where nothing is configured.
	File string
	// Project says that there is a project: a folder with a config, or with _packages.
	Project bool
}

// findPlace finds the project that a folder is in: the nearest folder, from there upwards, that has a config or a
// folder _packages. named is the config's file where the command line names one. Without a project, a package is by
// itself, and any other folder is a project to be.
func (g *globals) findPlace(dir, named string) (*place, error) {
	if named != "" {
		return g.configured(g.Path(named))
	}
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, config.File)
		// What is above a folder decides how its packages are trusted: it counts only if it is the user's.
		if info, err := os.Stat(file); err == nil && (at == dir || own(file, info)) {
			return g.configured(file)
		}
		zone := filepath.Join(at, config.DropZone)
		if info, err := os.Stat(zone); err == nil && info.IsDir() && (at == dir || own(zone, info)) {
			c, err := config.Default(at)
			return &place{Config: c, Project: true}, err
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	alone := config.Default
	if isPackage(dir) {
		alone = config.Standalone
	}
	c, err := alone(dir)
	return &place{Config: c}, err
}

// own reports whether what is at a path is the user's: it itself, which info is of, and a link that leads to it. A link
// of somebody else's to a config of the user's would have it hold in a folder that it was not written for.
func own(path string, info fs.FileInfo) bool {
	link, err := os.Lstat(path)
	return err == nil && !foreign(link) && !foreign(info)
}

func (g *globals) configured(file string) (*place, error) {
	c, diags := config.Load(file)
	if c == nil {
		return nil, g.shownAs(diags, file)
	}
	return &place{Config: c, File: file, Project: true}, nil
}

// shownAs calls the config's file as the user would.
func (g *globals) shownAs(diags manifest.Diagnostics, file string) manifest.Diagnostics {
	for i := range diags {
		if diags[i].File == file {
			diags[i].File = g.Show(file)
		}
	}
	return diags
}

// packageLog prints what packages log, a line each.
func packageLog(io *terminal.IO) func(logs.Line) {
	return func(line logs.Line) {
		text := fmt.Sprintf("%-5s %s", line.Level, strings.TrimSuffix(line.Message, "\n"))
		if len(line.Fields) > 0 && string(line.Fields) != "{}" {
			text += " " + string(line.Fields)
		}
		fmt.Fprintln(io.Err, io.ErrStyle().Dim(terminal.Printable(text)))
	}
}

// forgetTokens takes the tokens out of the config, for a host that nobody comes to with one: none need be in the
// environment then.
func (p *place) forgetTokens() {
	for i := range p.Config.Users {
		p.Config.Users[i].TokenEnv, p.Config.Users[i].TokenSHA256 = "", nil
	}
}

// trust has a package trusted as far as the author says.
func (p *place) trust(id, tier string) error {
	if p.Project {
		return usagef("--trust is for a package that is in no project; in %s the config's trust says it", p.Config.ProjectRoot)
	}
	t := trust.Tier(tier)
	if t != trust.Trusted && t != trust.Untrusted {
		return usagef("--trust %q: use trusted or untrusted", tier)
	}
	p.Config.Trust = map[string]trust.Tier{id: t}
	return nil
}

// packageID is the id of the package in a folder.
func packageID(dir string) (string, error) {
	pkg, diags := manifest.Load(dir)
	if pkg == nil || pkg.ID == "" {
		return "", diags
	}
	return pkg.ID, nil
}
