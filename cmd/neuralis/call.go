package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/devserver"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/dispatch"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type callOptions struct {
	*globals
	Target   string // a tool's name, or "METHOD path"
	Input    string // JSON arguments, or a request body
	Package  string
	Config   string
	Timeout  time.Duration
	Role     string
	User     string
	Agent    string
	Features []string
	Headers  []string
}

func newCallCommand(g *globals) *cobra.Command {
	opts := &callOptions{globals: g}
	cmd := &cobra.Command{
		Use:   `call <tool|"METHOD path"> [json]`,
		Short: "Call a tool or a route of a package, once",
		Long: `Call a tool with JSON arguments, or a route with a body, and print what it answers.
The call passes the gates that it would pass on a server: the caller's features,
limits, the tool's schema. The package is built first when its sources are newer
than dist/.

In a project, a folder with neuralis.host.json or _packages, all its packages are
there and data is kept where the server keeps it. A package elsewhere keeps its
data in its folder .neuralis.

Give - for the arguments to read them from standard input.`,
		Example: `  neuralis call hello '{"name":"Ada"}'
  neuralis call "GET catalog/search?q=lamp" --as member
  neuralis call import - < products.json`,
		Args: callArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Target = args[0]
			if len(args) == 2 {
				opts.Input = args[1]
			}
			return runCall(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Package, "package", "p", "", "`folder` of the package (default: the current folder)")
	flags.StringVar(&opts.Config, "config", "", "the host's config `file` (default: the nearest neuralis.host.json, here or above)")
	flags.DurationVar(&opts.Timeout, "timeout", 0, "end the call after this `duration`, such as 5s (default: what the package's tier allows)")
	flags.StringVar(&opts.Role, "as", "", "call with a `role` and the features that it has (default: an owner with all features)")
	flags.StringVar(&opts.User, "user", "", "call as a `user` of the host's config")
	flags.StringVar(&opts.Agent, "agent", "", "`agent` that acts for the caller")
	flags.StringSliceVar(&opts.Features, "feature", nil, "a `feature` that the caller has besides those of the role, can be repeated; * is all")
	flags.StringArrayVarP(&opts.Headers, "header", "H", nil, "a `header` of a request to a route, as \"Name: value\", can be repeated")
	cmd.MarkFlagsMutuallyExclusive("as", "user")
	cmd.MarkFlagsMutuallyExclusive("feature", "user")
	cmd.ValidArgsFunction = completeCall(g, &opts.Package)
	_ = cmd.MarkFlagDirname("package")
	_ = cmd.MarkFlagFilename("config", "json")
	bindJSON(cmd, g)
	return cmd
}

func runCall(ctx context.Context, o *callOptions) error {
	if o.Input == "-" {
		text, err := readInput(ctx, o.IO.In)
		if err != nil {
			return err
		}
		o.Input = text
	}
	method, target, isRoute := strings.Cut(o.Target, " ")
	if !isRoute && o.Input != "" && !json.Valid([]byte(o.Input)) {
		return usagef("the arguments are not JSON: %s", jsonFault(o.Input))
	}
	request, err := o.request(method, strings.TrimSpace(target))
	if isRoute && err != nil {
		return err
	}
	dir := o.Path(o.Package)
	if o.Package == "" {
		dir = o.packageAbove()
	}
	at, err := o.findPlace(dir, o.Config)
	if err != nil {
		return err
	}
	if at.File == "" {
		at.Config.Debug = true // an author tries something out
	}
	at.forgetTokens() // who calls says so with --user
	h, pkg, err := o.open(ctx, at, dir, isRoute)
	if err != nil {
		return err
	}
	request.Package = pkg
	defer h.Close(context.WithoutCancel(ctx))
	who, err := o.caller(h)
	if err != nil {
		return err
	}
	if err := o.meant(h, who, pkg, isRoute); err != nil {
		return err
	}
	callCtx := ctx
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		callCtx, cancel = runtime.WithDeadline(ctx, o.Timeout)
		defer cancel()
	}
	if isRoute {
		response := h.CallRoute(callCtx, who, request)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return o.printResponse(h, who, response)
	}
	result := h.CallTool(callCtx, who, o.Target, json.RawMessage(o.Input))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return o.printResult(h, who, result)
}

// request is the request to a route that the command line asks for.
func (o *callOptions) request(method, target string) (dispatch.Request, error) {
	path, query, _ := strings.Cut(target, "?")
	if _, err := url.ParseQuery(query); err != nil {
		return dispatch.Request{}, usagef("the query of %q makes no sense: %w", target, err)
	}
	r := dispatch.Request{Method: strings.ToUpper(method), Path: path, RawQuery: query, Header: http.Header{}, Body: []byte(o.Input)}
	for _, header := range o.Headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return r, usagef("--header %q is not of the form \"Name: value\"", header)
		}
		r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if o.Input != "" && r.Header.Get("Content-Type") == "" && json.Valid([]byte(o.Input)) {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// open makes the host of a place, with what is called built. pkg is the id of the package that is meant, if it is one.
func (o *callOptions) open(ctx context.Context, at *place, dir string, isRoute bool) (h *host.Host, pkg string, err error) {
	loaded, diags := manifest.Load(dir)
	single := loaded != nil || !at.Project
	if o.Package != "" && !single && dir != at.Config.ProjectRoot {
		return nil, "", o.noPackage(at, dir, diags)
	}
	opts := host.Options{Config: at.Config, LookupEnv: o.IO.LookupEnv, CacheDir: o.cacheDir(), PackageLog: packageLog(o.IO)}
	if single {
		if diags.HasErrors() || loaded == nil {
			return nil, "", placed(builtPackage{Dir: o.Show(dir), Diagnostics: diags})
		}
		if _, err := o.freshen(ctx, loaded); err != nil {
			return nil, "", interrupted(ctx, err)
		}
		opts.Packages, pkg = []string{dir}, loaded.ID
	}
	h, err = host.Open(ctx, opts)
	if err != nil {
		return nil, "", interrupted(ctx, err)
	}
	if single {
		err = o.present(h, dir)
	}
	if err == nil && (!single || o.Package == "" && at.Project && !isRoute && !hasTool(loaded, o.Target)) {
		err = o.freshenProject(ctx, h, isRoute)
	}
	if err != nil {
		h.Close(context.WithoutCancel(ctx))
		return nil, "", interrupted(ctx, err)
	}
	return h, pkg, nil
}

// interrupted is the error that matters when a command was stopped: that it was.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// present says why a package that is to be called is not there.
func (o *callOptions) present(h *host.Host, dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return fmt.Errorf("finding the package: %w", err)
	}
	for _, e := range h.Catalog().All() {
		if e.Dir != real || e.Kind != catalog.KindPackage || e.Usable() {
			continue
		}
		if shown := placed(builtPackage{Dir: o.Show(dir), Diagnostics: e.Diagnostics}); shown.HasErrors() {
			return shown
		}
		return refusef("the package %s cannot be called: %s (%s)", e.ID, e.Message, e.Reason)
	}
	return nil
}

// freshenProject builds the packages of a project that the call may be for: the one that has the tool or, since the
// routes of a package are known when it is built, all of them.
func (o *callOptions) freshenProject(ctx context.Context, h *host.Host, isRoute bool) error {
	built := false
	for _, e := range h.Catalog().All() {
		if e.Package == nil || e.Package.Runtime != manifest.RuntimeWASM {
			continue
		}
		if !isRoute && !hasTool(e.Package, o.Target) {
			continue
		}
		did, err := o.freshen(ctx, e.Package)
		if err != nil && isRoute && !errors.Is(err, context.Canceled) {
			// A package that cannot be built is not to be in the way of the others.
			o.IO.Printf("%s is not built: its sources have faults (neuralis build says which)\n", o.Show(e.Dir))
			continue
		} else if err != nil {
			return err
		}
		built = built || did
	}
	if !built {
		return nil
	}
	_, err := h.Rescan(ctx)
	return err
}

func hasTool(p *manifest.Package, name string) bool {
	for _, tool := range p.Tools {
		if tool.Name == name {
			return true
		}
	}
	return false
}

// caller is who makes the call.
func (o *callOptions) caller(h *host.Host) (session.Session, error) {
	if o.User != "" {
		if _, err := h.Session(o.User); err != nil {
			return session.Session{}, &usageError{err}
		}
	}
	return devserver.Identity{Role: o.Role, Features: o.Features, User: o.User, Agent: o.Agent}.Session(h), nil
}

// freshen builds a package whose dist/ is missing or older than its sources, and reports whether it did.
func (o *callOptions) freshen(ctx context.Context, pkg *manifest.Package) (bool, error) {
	toolchain := readVersion().Version
	stale, err := build.Stale(pkg, toolchain)
	if err != nil || !stale || pkg.Runtime == "" {
		return false, err
	}
	builder := build.New(build.Options{CacheDir: o.cacheDir(), Toolchain: toolchain, OnColdStart: func() {
		o.IO.Printf("Preparing the JavaScript engine for this machine; later calls find it in the cache.\n")
	}})
	defer builder.Close(context.WithoutCancel(ctx))
	result, diags := builder.Build(ctx, pkg)
	shown := placed(builtPackage{Dir: o.Show(pkg.Dir), Diagnostics: diags})
	if result == nil {
		return false, shown
	}
	if len(shown) > 0 {
		terminal.PrintDiagnostics(o.IO, shown)
	}
	return true, nil
}

// printResult prints a tool's result: the text when that is all there is, else the JSON. What went wrong on the way is
// a diagnostic for people, and for scripts part of the result.
func (o *callOptions) printResult(h *host.Host, who session.Session, result dispatch.Result) error {
	if result.Err != nil && !o.JSON {
		return o.problem(h, who, result.Err)
	}
	text, isText := textOf(result)
	if isText && !o.JSON {
		fmt.Fprintln(o.IO.Out, terminal.Printable(text))
	} else if err := o.IO.WriteJSON(result); err != nil {
		return err
	}
	if result.IsError {
		return errFindings
	}
	return nil
}

// textOf is the text of a result that is nothing else.
func textOf(result dispatch.Result) (text string, ok bool) {
	if len(result.Content) == 0 || result.StructuredContent != nil {
		return "", false
	}
	var lines []string
	for _, raw := range result.Content {
		var block struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		}
		if json.Unmarshal(raw, &block) != nil || block.Type != "text" || block.Text == nil {
			return "", false
		}
		lines = append(lines, *block.Text)
	}
	return strings.Join(lines, "\n"), true
}

// problem is an error of the host's as the author reads it.
func (o *callOptions) problem(h *host.Host, who session.Session, e *dispatch.Error) manifest.Diagnostics {
	d := e.Diagnostic()
	if d.Hint == "" {
		d.Hint = o.hintFor(h, who, e)
	}
	if entry, ok := h.Catalog().Entry(who, e.Package); ok {
		return placed(builtPackage{Dir: o.Show(entry.Dir), Diagnostics: manifest.Diagnostics{d}})
	}
	return manifest.Diagnostics{d}
}

// printResponse prints what a route answered, and for people why there was no answer.
func (o *callOptions) printResponse(h *host.Host, who session.Session, r dispatch.Response) error {
	out := struct {
		Status     int               `json:"status"`
		Headers    map[string]string `json:"headers,omitempty"`
		Body       json.RawMessage   `json:"body,omitempty"`
		BodyBase64 []byte            `json:"bodyBase64,omitempty"`
	}{Status: r.Status, Headers: map[string]string{}}
	for name, values := range r.Header {
		out.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	switch {
	case len(r.Body) == 0:
	case strings.Contains(out.Headers["content-type"], "json") && json.Valid(r.Body):
		out.Body = r.Body // JSON is what one wants to read
	case utf8.Valid(r.Body):
		text, err := json.Marshal(string(r.Body))
		if err != nil {
			return err
		}
		out.Body = text
	default:
		out.BodyBase64 = r.Body
	}
	if err := o.IO.WriteJSON(out); err != nil {
		return err
	}
	if r.Err != nil && !o.JSON {
		terminal.PrintDiagnostics(o.IO, o.problem(h, who, r.Err))
	}
	if r.Status >= 400 {
		return errFindings
	}
	return nil
}
