package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// changedPackages are those of the folders in which something differs from a revision of git, files that git does not know
// yet included. Folders that are not in the repository of the first one are all kept: nobody can tell.
func changedPackages(ctx context.Context, dirs []string, revision string) ([]string, error) {
	top, err := git(ctx, dirs[0], "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimRight(string(top), "\r\n")
	differing, err := git(ctx, root, "diff", "--name-only", "--no-renames", "-z", "--end-of-options", revision, "--")
	if err != nil {
		return nil, err
	}
	unknown, err := git(ctx, root, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range bytes.Split(slices.Concat(differing, unknown), []byte{0}) {
		files = append(files, string(name))
	}
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return false
		}
		below, err := filepath.Rel(root, real)
		if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
			return false
		}
		if below == "." {
			return len(files) == 0 || len(files) == 1 && files[0] == ""
		}
		return !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, filepath.ToSlash(below)+"/") })
	}), nil
}

// git runs git in a folder.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", args...)
	command.Dir = dir
	out, err := command.Output()
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		return nil, refusef("--changed: git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	case errors.Is(err, exec.ErrNotFound):
		return nil, refusef("--changed asks git what has changed, and there is no git on the PATH")
	}
	return out, err
}
