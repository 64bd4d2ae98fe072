package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Catalog is what GET /api/catalog answers: what a caller is shown.
type Catalog struct {
	Packages []Package `json:"packages"`
}

// Package is a package, or a local source as a whole. One that cannot be used has a status of error, a reason and a
// message, and nothing to call.
type Package struct {
	ID          string           `json:"id"`
	Kind        catalog.Kind     `json:"kind"`
	Name        string           `json:"name,omitempty"`
	Version     string           `json:"version,omitempty"`
	Description string           `json:"description,omitempty"`
	Runtime     manifest.Runtime `json:"runtime,omitempty"`
	Tier        trust.Tier       `json:"tier"`
	Status      catalog.Status   `json:"status"`
	Reason      trust.Reason     `json:"reason,omitempty"`
	Message     string           `json:"message,omitempty"`
	Location    string           `json:"location"`
	Scope       catalog.Scope    `json:"scope"`
	// Feature is what a caller needs for anything of the package.
	Feature string  `json:"feature,omitempty"`
	Tools   []Tool  `json:"tools"`
	Routes  []Route `json:"routes"`
	Skills  []Skill `json:"skills"`
	// Diagnostics are for admins alone.
	Diagnostics manifest.Diagnostics `json:"diagnostics,omitempty"`
}

// Tool is a tool that is called by its name; one whose name is that of a tool of a package before it is not there.
type Tool struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// InputSchema is the JSON Schema of the arguments as the author wrote it, without what is for the platform.
	InputSchema json.RawMessage           `json:"inputSchema,omitempty"`
	Annotations *manifest.ToolAnnotations `json:"annotations,omitempty"`
	// Feature is what a caller needs besides that of the package.
	Feature string `json:"feature,omitempty"`
	// Invalid says that the tool has faults and is not called.
	Invalid bool `json:"invalid,omitempty"`
}

// Route is a route, below /api/packages/ and the id of the package.
type Route struct {
	Pattern string   `json:"pattern"`
	Methods []string `json:"methods"`
	// Feature is what a caller needs besides that of the package.
	Feature string `json:"feature,omitempty"`
}

// Skill is a skill.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// Describe makes the description of a catalog for a caller. What others own is left out without a trace.
func Describe(c *catalog.Catalog, who session.Session, admin bool) Catalog {
	out := Catalog{Packages: []Package{}}
	for _, e := range c.Visible(who) {
		p := Package{ID: e.ID, Kind: e.Kind, Tier: e.Tier, Status: e.Status, Reason: e.Reason, Message: e.Message, Location: e.Location, Scope: e.Scope,
			Tools: []Tool{}, Routes: []Route{}, Skills: []Skill{}}
		if pkg := e.Package; pkg != nil {
			p.Name, p.Version, p.Description, p.Runtime, p.Feature = pkg.Name, pkg.Version, pkg.Description, pkg.Runtime, pkg.Manifest.Requires.AccessFeature
			if e.Usable() {
				for i := range pkg.Tools {
					if there, _, _ := c.Tool(who, pkg.Tools[i].Name); there == e {
						p.Tools = append(p.Tools, describeTool(&pkg.Tools[i]))
					}
				}
			}
		}
		if e.Usable() {
			for _, r := range e.Routes.Routes {
				p.Routes = append(p.Routes, Route{Pattern: r.Pattern, Methods: r.Methods, Feature: r.Feature})
			}
			for _, s := range e.Skills() {
				p.Skills = append(p.Skills, Skill{Name: s.Name, Description: s.Description})
			}
		}
		if admin {
			p.Diagnostics = e.Diagnostics
		}
		out.Packages = append(out.Packages, p)
	}
	return out
}

func describeTool(tool *manifest.Tool) Tool {
	t := Tool{Name: tool.Name, Title: cmp.Or(tool.Extension.Annotations.Title, tool.Title), Description: tool.Description, Feature: tool.Extension.Feature, Invalid: tool.Invalid}
	if tool.File != "" && !tool.Invalid {
		t.InputSchema, t.Annotations = inputSchema(tool.Schema), &tool.Extension.Annotations
	}
	return t
}

// platformMember is the member of a tool file that is no part of the schema.
const platformMember = "x-neuralis"

// inputSchema is the schema in a tool file, with its members in their order.
func inputSchema(file json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(file))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil
	}
	out := []byte{'{'}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		if token == platformMember {
			continue
		}
		name, err := encode(token)
		if err != nil {
			return nil
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}')
}

// catalog answers GET /api/catalog.
func (a *api) catalog(x *exchange) {
	body, err := encode(Describe(a.Host.Catalog(), x.who, a.Host.Admin(x.who)))
	if err != nil {
		panic(fmt.Errorf("the catalog cannot be written: %w", err))
	}
	x.sendTagged(append(body, '\n'))
}

// sendTagged answers with JSON that a client may keep, and ask whether it still holds.
func (x *exchange) sendTagged(body []byte) {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	header := x.w.Header()
	header.Set("ETag", tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", "Authorization")
	if matches(x.r.Header.Values("If-None-Match"), tag) {
		x.send(http.StatusNotModified, nil)
		return
	}
	header.Set("Content-Type", contentTypeJSON)
	x.send(http.StatusOK, body)
}

// matches reports whether a tag is in an If-None-Match header (RFC 9110, 13.1.2). Ours have no commas in them.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for candidate := range strings.SplitSeq(header, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
				return true
			}
		}
	}
	return false
}
