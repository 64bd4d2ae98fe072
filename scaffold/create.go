package scaffold

import (
	"context"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Template is a kind of package that [Create] can start.
type Template struct {
	Name  string // what --template takes, and the folder in package templates
	About string
}

// Templates are the kinds of packages there are, the usual one first.
func Templates() []Template {
	return []Template{
		{"wasm", "tools and routes in TypeScript, sandboxed; runs everywhere"},
		{"skills", "skills and rules, no code"},
		{"node", "tools and routes with all of Node; first-party only"},
		{"mcp-python", "an MCP server in Python; first-party only"},
		{"mcp-go", "an MCP server in Go; first-party only"},
	}
}

// Options says what package to start.
type Options struct {
	Dir         string // absolute or relative to the current folder; made if missing
	Template    string // a name of [Templates]; empty for the first
	ID          string // empty for one made of Dir's name
	Name        string // empty for one made of the id
	Description string // empty for one made of the name
}

// Result is what was done.
type Result struct {
	Dir     string   // the package folder, absolute
	Created []string // files, slash-separated, relative to Dir
	Changed []string // likewise
	Notes   []string // changes to the manifest, in words
	Next    []string // what to do next; command lines begin with "neuralis " or are plain sentences
}

// packageData is what the templates of whole packages are filled in with.
type packageData struct {
	ID, Name, Description, Prefix string
}

// Defaults fills in what is empty and checks everything but the folder. The
// errors are [*NameError].
func (o Options) Defaults() (Options, error) {
	if o.Template == "" {
		o.Template = Templates()[0].Name
	}
	if !knownTemplate(o.Template) {
		return o, &NameError{What: "template", Name: o.Template, Rule: "one of those that are listed by neuralis new --help"}
	}
	if o.ID == "" {
		abs, err := filepath.Abs(o.Dir)
		if err != nil {
			return o, err
		}
		o.ID = manifest.Slug(filepath.Base(abs))
	}
	if err := CheckID(o.ID); err != nil {
		return o, err
	}
	if o.Name == "" {
		o.Name = Title(o.ID)
	}
	if err := oneLine("name of a package", o.Name); err != nil {
		return o, err
	}
	if o.Description == "" {
		o.Description = map[string]string{
			"wasm":   "Saves notes and reads them back",
			"skills": "Teaches agents to review a draft",
			"node":   "Tells how the machine of the host is doing",
		}[o.Template]
		if o.Description == "" {
			o.Description = "Measures texts"
		}
	}
	return o, oneLine("description of a package", o.Description)
}

func knownTemplate(name string) bool {
	for _, t := range Templates() {
		if t.Name == name {
			return true
		}
	}
	return false
}

// Create starts a package. On an error nothing is left behind.
func Create(ctx context.Context, o Options) (*Result, error) {
	o, err := o.Defaults()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	data := packageData{ID: o.ID, Name: o.Name, Description: o.Description, Prefix: toolPrefix(o.ID)}
	files, err := renderTree(o.Template, data)
	if err != nil {
		return nil, err
	}
	if err := placeTree(ctx, dir, o.Dir, files); err != nil {
		return nil, err
	}
	result := &Result{Dir: dir}
	for _, f := range files {
		result.Created = append(result.Created, f.name)
	}
	result.Next = nextAfterCreate(o.Template, data.Prefix)
	return result, nil
}

func nextAfterCreate(template, prefix string) []string {
	switch template {
	case "wasm":
		return []string{"neuralis build", "neuralis call " + prefix + `_save_note '{"name":"milk","text":"Buy milk"}'`}
	case "node", "skills":
		return []string{"neuralis build"}
	case "mcp-python":
		return []string{"neuralis build", "uv run server/main.py"}
	default:
		return []string{"neuralis build", "go -C server test"}
	}
}
