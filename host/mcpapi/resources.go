package mcpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/yosida95/uritemplate/v3"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
)

// uriScheme is the scheme of the files of packages.
const uriScheme = "neuralis"

// maxDocument is the largest file that is read, in bytes.
const maxDocument = 4 << 20

const markdownType = "text/markdown"

// resource is a resource or a template of ones: a document, or a tool that is offered as one.
type resource struct {
	URI         string
	Name        string
	Title       string
	Description string
	MIMEType    string

	entry     *catalog.Entry
	file      string // of a document
	tool      string
	template  *uritemplate.Template // nil for a single resource
	arguments []argument            // of a template
}

// document is the resource of a file among the docs of a package; ok is false for what is no text to be read.
func document(e *catalog.Entry, file string) (r *resource, ok bool) {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown":
		return &resource{URI: documentURI(e.ID, file), Name: e.ID + "/" + file, MIMEType: markdownType, entry: e, file: file}, true
	}
	return nil, false
}

// documentURI is neuralis://package/docs/file.md, with what URIs do not take escaped.
func documentURI(id, file string) string {
	segments := strings.Split(file, "/")
	for i, s := range segments {
		segments[i] = escape(s)
	}
	return uriScheme + "://" + escape(id) + "/" + strings.Join(segments, "/")
}

// escape escapes all but the characters that mean themselves everywhere in a URI.
func escape(s string) string {
	var out strings.Builder
	for i := range len(s) {
		switch b := s[i]; {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("-._~", b) >= 0:
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// listing is how a resource is listed.
func (r *resource) listing() any {
	type about struct {
		Name        string `json:"name"`
		Title       string `json:"title,omitempty"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType,omitempty"`
	}
	a := about{r.Name, r.Title, r.Description, r.MIMEType}
	if r.template != nil {
		return struct {
			URI string `json:"uriTemplate"`
			about
		}{r.URI, a}
	}
	one := struct {
		URI string `json:"uri"`
		about
		Size *int64 `json:"size,omitempty"`
	}{r.URI, a, nil}
	if info, err := r.stat(); err == nil {
		size := info.Size()
		one.Size = &size
	}
	return one
}

// stat looks at the file of a document.
func (r *resource) stat() (fs.FileInfo, error) {
	if r.file == "" {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(r.entry.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Stat(filepath.FromSlash(r.file))
}

// version is what tells one state of the resource from another; empty where nothing does.
func (r *resource) version() string {
	if r.file == "" {
		return r.entry.ModuleHash
	}
	info, err := r.stat()
	if err != nil {
		return "gone"
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

var errNoFile = errors.New("it is no file")

// readFile reads a file of a package. Links are followed inside of its folder only, and what is no regular file is not
// opened, as opening it may wait for ever.
func readFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxDocument+1))
	if err == nil && len(text) > maxDocument {
		err = fmt.Errorf("it is larger than %d bytes", maxDocument)
	}
	return text, err
}

// contents is one part of what is read of a resource. Text and Blob are JSON strings.
type contents struct {
	URI      string          `json:"uri"`
	MIMEType string          `json:"mimeType,omitempty"`
	Text     json.RawMessage `json:"text,omitempty"`
	Blob     json.RawMessage `json:"blob,omitempty"`
}

// answeredResource is the result of resources/read.
type answeredResource struct {
	Contents []contents `json:"contents"`
}

// notFound is the error for a resource that is not there for the client.
func notFound(uri string) error {
	return fault(codeResourceNotFound, map[string]string{"uri": uri}, "there is no resource %q", clip(uri))
}

// readResource answers resources/read.
func (c *client) readResource(ctx context.Context, ss *mcp.ServerSession, params *mcp.ReadResourceParams) (mcp.Result, error) {
	r, values := c.view().find(params.URI)
	if r == nil {
		return nil, notFound(params.URI)
	}
	if r.tool != "" {
		return c.resourceOfTool(ctx, ss, r, values, params)
	}
	text, err := readFile(r.entry.Dir, r.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notFound(params.URI) // the catalog will know soon
	case err != nil:
		c.server.opts.Log.Warn("a document cannot be read", "package", r.entry.ID, "file", r.file, "error", err)
		return nil, fault(codeInternal, map[string]string{"uri": params.URI}, "the resource cannot be read")
	}
	one := contents{URI: params.URI, MIMEType: r.MIMEType}
	if utf8.Valid(text) {
		one.Text, err = encode(string(text))
	} else {
		one.Blob, err = encode(base64.StdEncoding.EncodeToString(text))
	}
	if err != nil {
		return nil, err
	}
	return result(answeredResource{[]contents{one}})
}

// resourceOfTool makes a resource of what a handler returns.
func (c *client) resourceOfTool(ctx context.Context, ss *mcp.ServerSession, r *resource, values map[string]string, params *mcp.ReadResourceParams) (mcp.Result, error) {
	var args json.RawMessage
	if len(values) > 0 {
		var err error
		if args, err = encode(values); err != nil {
			return nil, err
		}
	}
	answer := c.call(ctx, ss, r.tool, args, params.GetProgressToken())
	if answer.IsError {
		return nil, refusal(answer)
	}
	return result(answeredResource{r.contents(params.URI, answer)})
}

// contents are those that a result stands for: texts and binary blocks of the resource itself, and resources as they are.
func (r *resource) contents(uri string, answer dispatch.Result) []contents {
	all := []contents{}
	for _, raw := range answer.Content {
		var block struct {
			Type     string          `json:"type"`
			MIMEType string          `json:"mimeType"`
			Text     json.RawMessage `json:"text"`
			Data     json.RawMessage `json:"data"`
			Resource contents        `json:"resource"`
		}
		if json.Unmarshal(raw, &block) != nil {
			continue // dispatch has looked at it
		}
		one := contents{URI: uri, MIMEType: r.MIMEType}
		switch block.Type {
		case "text":
			one.Text = block.Text
		case "image", "audio":
			one.MIMEType, one.Blob = block.MIMEType, block.Data
		case "resource":
			one = block.Resource
		}
		all = append(all, one)
	}
	return all
}
