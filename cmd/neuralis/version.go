package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the release build: -ldflags "-X main.version=1.2.3 …".
var version, commit, date string

// versionInfo is the result of `neuralis version`.
type versionInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from a changed work tree
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// readVersion takes what the release build stamped in, else what the Go command
// recorded about the module and the work tree.
func readVersion() versionInfo {
	v := versionInfo{Version: version, Commit: commit, Date: date,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, setting := range info.Settings {
			switch {
			case setting.Key == "vcs.revision" && v.Commit == "":
				v.Commit = setting.Value
			case setting.Key == "vcs.time" && v.Date == "":
				v.Date = setting.Value
			case setting.Key == "vcs.modified" && version == "":
				v.Modified = setting.Value == "true"
			}
		}
		if v.Version == "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
	}
	if v.Version == "" {
		v.Version = "development"
	}
	return v
}

type versionOptions struct{ *globals }

func newVersionCommand(g *globals) *cobra.Command {
	opts := &versionOptions{globals: g}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this binary",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return runVersion(opts) },
	}
	bindJSON(cmd, g)
	return cmd
}

func runVersion(o *versionOptions) error {
	v := readVersion()
	if o.JSON {
		return o.IO.WriteJSON(v)
	}
	fmt.Fprintf(o.IO.Out, "neuralis %s\n", v.Version)
	if v.Commit != "" {
		modified := ""
		if v.Modified {
			modified = ", changed since"
		}
		fmt.Fprintf(o.IO.Out, "  commit    %s%s\n", v.Commit, modified)
	}
	if v.Date != "" {
		fmt.Fprintf(o.IO.Out, "  date      %s\n", v.Date)
	}
	fmt.Fprintf(o.IO.Out, "  go        %s\n  platform  %s\n", v.Go, v.Platform)
	return nil
}
