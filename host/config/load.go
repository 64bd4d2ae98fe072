package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/suggest"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

// The rules that this package reports under, besides those of package manifest about JSON.
const (
	// RuleHostConfig: a value in the config is missing or is not what is asked for in its place.
	RuleHostConfig = "host-config"
	// RuleHostConfigUnknown: the config has a member that nobody reads.
	RuleHostConfigUnknown = "host-config-unknown"
	// RuleHostConfigConflict: two values in the config contradict each other, or one refers to nothing.
	RuleHostConfigConflict = "host-config-conflict"
	// RuleHostConfigUnreadable: the config cannot be read.
	RuleHostConfigUnreadable = "host-config-unreadable"
)

// Load reads the config in a file. Relative paths in it start at the file's folder.
//
// If one of the diagnostics is an error, the config is nil. The diagnostics are sorted and call the file by
// path.
func Load(path string) (*Config, manifest.Diagnostics) {
	unreadable := func(err error, hint string) (*Config, manifest.Diagnostics) {
		var inPath *fs.PathError
		if errors.As(err, &inPath) {
			err = inPath.Err
		}
		return nil, manifest.Diagnostics{{Rule: RuleHostConfigUnreadable, Severity: manifest.SeverityError, File: filepath.ToSlash(path),
			Message: fmt.Sprintf("the host's config cannot be read: %v", err), Hint: hint}}
	}
	const hint = "check the path and its permissions"
	absolute, err := filepath.Abs(path)
	if err != nil {
		return unreadable(err, hint)
	}
	info, err := os.Stat(absolute)
	switch {
	case err != nil:
		return unreadable(err, hint)
	case !info.Mode().IsRegular(): // a named pipe would let the opening below wait for ever
		return unreadable(errors.New("it is no file"), "give the path of a file")
	}
	file, err := os.Open(absolute)
	if err != nil {
		return unreadable(err, hint)
	}
	defer file.Close()
	source, err := io.ReadAll(io.LimitReader(file, int64(jsondoc.DefaultLimits().MaxBytes)+1))
	if err != nil {
		return unreadable(err, "check the file and the disk it is on")
	}
	return Parse(filepath.ToSlash(path), source, filepath.Dir(absolute))
}

// Parse reads the text of a config as [Load] does. The diagnostics call it file; dir is an absolute path, at
// which relative ones start.
func Parse(file string, source []byte, dir string) (*Config, manifest.Diagnostics) {
	doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
	r := &reader{file: file, doc: doc}
	if doc.Root != nil {
		r.masked = mask(doc)
	}
	for _, p := range problems {
		r.report(p, RuleHostConfig)
	}
	if doc.Root != nil {
		for _, p := range model().Decode(doc, doc.Root, &r.config) {
			r.report(p, RuleHostConfig)
		}
		for _, u := range model().Unknown(doc.Root) {
			r.unknown(u)
		}
		r.config.resolve(dir)
		// A conflict of values that were refused would be a second complaint about the same mistake.
		if !r.diagnostics.HasErrors() {
			r.check()
		}
	}
	r.diagnostics.Sort()
	if r.diagnostics.HasErrors() {
		return nil, r.diagnostics
	}
	return &r.config, r.diagnostics
}

// Default is the config of a host whose operator has said nothing: one project, no users, no first-party
// packages. The folder is the project's.
func Default(projectRoot string) (*Config, error) {
	dir, err := filepath.Abs(projectRoot)
	if err != nil {
		return nil, fmt.Errorf("find the folder of the project: %w", err)
	}
	c := &Config{}
	c.resolve(dir)
	return c, nil
}

// resolve makes paths absolute and fills in what is not there.
func (c *Config) resolve(dir string) {
	from := func(path string) string {
		if path == "" {
			return ""
		}
		path = filepath.FromSlash(path)
		if filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
		return filepath.Join(dir, path)
	}
	for i, path := range c.Builtins {
		c.Builtins[i] = from(path)
	}
	for i := range c.Sources {
		c.Sources[i].Path = from(c.Sources[i].Path)
		c.Sources[i].Scope = cmp.Or(c.Sources[i].Scope, ScopeProject)
	}
	c.ProjectRoot = cmp.Or(from(c.ProjectRoot), dir)
	c.ProjectID = cmp.Or(c.ProjectID, manifest.Slug(filepath.Base(c.ProjectRoot)), "project")
	c.DataDir = cmp.Or(from(c.DataDir), filepath.Join(c.ProjectRoot, "_data"))
	c.GlobalDir = cmp.Or(from(c.GlobalDir), filepath.Join(c.ProjectRoot, "_global"))
	c.Credentials.KeyFile = cmp.Or(from(c.Credentials.KeyFile), filepath.Join(c.GlobalDir, "credentials.key"))
	c.HTTP.Listen = cmp.Or(c.HTTP.Listen, "127.0.0.1:7878")
	c.HTTP.MaxBodyBytes = cmp.Or(c.HTTP.MaxBodyBytes, 8<<20)
	c.HTTP.ShutdownMS = cmp.Or(c.HTTP.ShutdownMS, 30_000)
}

// reader is one reading of a config.
type reader struct {
	file        string
	doc         *jsondoc.Document
	masked      []byte // the source for code frames; nil for the document's own
	config      Config
	diagnostics manifest.Diagnostics
}

// most bounds what is said about one config.
const most = 100

func (r *reader) report(p jsondoc.Problem, rule string) {
	if len(r.diagnostics) == most {
		return
	}
	if len(p.Path) == 4 && p.Path[2] == tokens && rule == RuleHostConfig {
		p.Message = fmt.Sprintf("%s must be %s", jsonmodel.Name(p.Path), formats().Is("sha256"))
	}
	d := manifest.FromProblem(r.doc, r.file, p, rule)
	if d.Frame != "" && r.masked != nil {
		d.Frame = manifest.Frame(r.masked, d.Line, d.Column, d.EndColumn)
	}
	r.diagnostics = append(r.diagnostics, d)
}

// tokens is the member that should have hashes of tokens. Somebody may put a token there, and what is printed
// about the config ends in logs.
const tokens = "tokenSha256"

// mask returns the source of a document with stars in the place of what stands in tokenSha256.
func mask(doc *jsondoc.Document) []byte {
	users := doc.Root.Get("users")
	if users == nil {
		return nil
	}
	masked := bytes.Clone(doc.Source)
	for _, user := range users.Items {
		for _, m := range user.Members {
			if m.Name != tokens {
				continue
			}
			for i := m.Value.Start + 1; i < m.Value.End-1; i++ {
				if masked[i] != '\n' && masked[i] != '\r' {
					masked[i] = '*'
				}
			}
		}
	}
	return masked
}

func (r *reader) unknown(u jsonmodel.UnknownMember) {
	// A path can be very deep only in places that are free, and there nothing is unknown.
	p := jsondoc.Problem{Code: jsondoc.CodeModel, Start: u.Member.Start, End: u.Member.End, Path: u.Path,
		Message: fmt.Sprintf("%s is nothing that a host's config has", jsonmodel.Name(u.Path)),
		Hint:    "remove it; here there can be " + strings.Join(u.Known, ", ")}
	if near, ok := suggest.Closest(u.Member.Name, u.Known); ok {
		p.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	r.report(p, RuleHostConfigUnknown)
}

// conflict reports a value that does not go with others, at its place in the file.
func (r *reader) conflict(hint string, path []string, format string, arguments ...any) {
	place := r.doc.LookupPath(path...)
	start, end := place.Value.Start, place.Value.End
	if k := place.Value.Kind; place.Key != nil && (k == jsondoc.Object || k == jsondoc.Array) {
		start, end = place.Key.Start, place.Key.End
	} else if k == jsondoc.Object || k == jsondoc.Array {
		end = start + 1
	}
	r.report(jsondoc.Problem{Code: jsondoc.CodeModel, Start: start, End: end, Path: path, Hint: hint,
		Message: fmt.Sprintf("%s: %s", jsonmodel.Name(path), fmt.Sprintf(format, arguments...))}, RuleHostConfigConflict)
}
