package config

import (
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// DropZone is the folder in a project that is always searched for packages.
const DropZone = "_packages"

// check looks at what the values mean together.
func (r *reader) check() {
	c := &r.config
	r.checkUsers()
	r.checkSources()
	r.checkFolders()
	if _, port, err := net.SplitHostPort(c.HTTP.Listen); err != nil {
		r.conflict("write host:port, such as 127.0.0.1:7878", []string{"http", "listen"}, "this is no address to listen at")
	} else if n, err := strconv.Atoi(port); err != nil || n > 65535 {
		r.conflict("choose one up to 65535", []string{"http", "listen"}, "there is no port %s", port)
	}
}

func (r *reader) checkUsers() {
	c := &r.config
	ids, tokens, variables := map[string]int{}, map[string]string{}, map[string]string{}
	for i, u := range c.Users {
		at := func(more ...string) []string { return append([]string{"users", strconv.Itoa(i)}, more...) }
		if first, ok := ids[u.ID]; ok {
			r.conflict("give each user an id of their own", at("id"), "users[%d] has the id %q too", first, u.ID)
		} else {
			ids[u.ID] = i
		}
		if _, ok := c.Roles[u.Role]; !ok {
			r.conflict(rolesHint(c.Roles), at("role"), "there is no role %q", u.Role)
		}
		for j, token := range u.TokenSHA256 {
			if other, ok := tokens[token]; ok {
				r.conflict("give each user a token of their own", at("tokenSha256", strconv.Itoa(j)), "the user %q has the same token", other)
			}
			tokens[token] = u.ID
		}
		if other, ok := variables[u.TokenEnv]; ok && u.TokenEnv != "" {
			r.conflict("give each user a token of their own", at("tokenEnv"), "the user %q has the same token", other)
		}
		variables[u.TokenEnv] = u.ID
	}
}

func rolesHint(roles map[string]Role) string {
	if len(roles) == 0 {
		return `add it to "roles"`
	}
	return `add it to "roles", or use one of ` + strings.Join(slices.Sorted(maps.Keys(roles)), ", ")
}

func (r *reader) checkSources() {
	c := &r.config
	ids := map[string]int{}
	for i, s := range c.Sources {
		at := func(more ...string) []string { return append([]string{"sources", strconv.Itoa(i)}, more...) }
		if first, ok := ids[s.ID]; ok {
			r.conflict("give each source an id of its own", at("id"), "sources[%d] has the id %q too", first, s.ID)
		} else {
			ids[s.ID] = i
		}
		if _, ok := c.User(s.Owner); s.Owner != "" && s.Scope != ScopeAgent && !ok {
			r.conflict(`use the id of one of "users"`, at("owner"), "there is no user %q", s.Owner)
		}
		if s.FlaggedBy == "" {
			continue
		}
		if _, ok := c.User(s.FlaggedBy); !ok {
			r.conflict(`use the id of one of "users"`, at("flaggedBy"), "there is no user %q", s.FlaggedBy)
		} else if !c.MayFlag(s.FlaggedBy, s) {
			r.conflict("let the owner or an admin decide, or take recognizesPackages out", at("flaggedBy"),
				"%q is neither the owner of the source nor an admin, and may not decide that its packages are recognised", s.FlaggedBy)
		}
	}
}

// checkFolders keeps the folders of first-party packages, and those in which the host writes, apart from the
// folders that others may put packages in.
func (r *reader) checkFolders() {
	c := &r.config
	open := map[string]string{filepath.Join(c.ProjectRoot, DropZone): "the project's " + DropZone}
	for _, s := range c.Sources {
		if s.RecognizesPackages {
			open[s.Path] = "the source " + strconv.Quote(s.ID)
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(open)) {
		for i, builtin := range c.Builtins {
			if within(builtin, folder) {
				r.conflict("keep builtins where only the operator puts packages", []string{"builtins", strconv.Itoa(i)},
					"what is in %s is not first-party", open[folder])
			}
		}
		for name, dir := range map[string]string{"dataDir": c.DataDir, "globalDir": c.GlobalDir} {
			if within(dir, folder) {
				r.conflict("choose a folder outside of it", []string{name}, "the host cannot keep its data in %s, where packages are searched for", open[folder])
			}
		}
	}
}

// within reports whether path is folder or below it, going by the names alone.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}
