package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host/sandbox"
	"github.com/neuralis-dev/neuralis/internal/memoryhost"
	"github.com/neuralis-dev/neuralis/internal/sourcemap"
	"github.com/neuralis-dev/neuralis/internal/terminal"
	"github.com/neuralis-dev/neuralis/manifest"
)

type callOptions struct {
	*globals
	Target  string // a tool's name, or "METHOD path"
	Input   string // JSON arguments, or a request body
	Package string
	Timeout time.Duration
	Role    string
}

func newCallCommand(g *globals) *cobra.Command {
	opts := &callOptions{globals: g}
	cmd := &cobra.Command{
		Use:   `call <tool|"METHOD path"> [json]`,
		Short: "Call a tool or a route of a package, once",
		Long: `Call a tool with JSON arguments, or a route with a body, in the sandbox, and
print what it answers. The package is built first when its sources are newer
than dist/. Data is kept in memory for the one call.

Give - for the arguments to read them from standard input.`,
		Example: `  neuralis call hello '{"name":"Ada"}'
  neuralis call "GET catalog/search?q=lamp"
  neuralis call import - < products.json`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Target = args[0]
			if len(args) == 2 {
				opts.Input = args[1]
			}
			return runCall(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Package, "package", "p", ".", "`folder` of the package")
	flags.DurationVar(&opts.Timeout, "timeout", 30*time.Second, "end the call after this time")
	flags.StringVar(&opts.Role, "as", "owner", "`role` of the caller")
	_ = cmd.MarkFlagDirname("package")
	bindJSON(cmd, g)
	return cmd
}

func runCall(ctx context.Context, o *callOptions) error {
	dir := o.Path(o.Package)
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
	if _, query, ok := strings.Cut(target, "?"); isRoute && ok {
		if _, err := url.ParseQuery(strings.TrimSpace(query)); err != nil {
			return usagef("the query of %q makes no sense: %w", target, err)
		}
	}
	pkg, diags := manifest.Load(dir)
	if diags.HasErrors() || pkg == nil {
		return diags
	}
	if pkg.Runtime != manifest.RuntimeWASM {
		return refusef("%s has no sandboxed code to call: its runtime is %q", pkg.ID, pkg.Runtime)
	}
	if err := o.freshen(ctx, pkg); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	file := filepath.Join(dir, build.DefaultOut, build.ModuleFile)
	if err := checkModule(file, o.Show(file)); err != nil {
		return err
	}
	module, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the built package: %w", err)
	}
	engine := sandbox.NewEngine(sandbox.Options{CacheDir: o.cacheDir()})
	defer engine.Close(context.WithoutCancel(ctx))
	callCtx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("it took longer than %s", o.Timeout))
	defer cancel()
	// A plug-in of another toolchain may run code of its own already when it is started.
	host, err := memoryhost.Start(callCtx, engine, pkg, module, memoryhost.Options{Log: logLines{o.IO}, Getenv: o.IO.Getenv, Role: o.Role})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return o.callProblem(callCtx, pkg, fmt.Errorf("starting %s: %w", pkg.ID, err))
	}
	defer host.Close(context.WithoutCancel(ctx))

	if isRoute {
		response, err := host.CallRoute(callCtx, method, strings.TrimSpace(target), o.Input)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, memoryhost.ErrNoResponse) {
			return &refusal{err}
		}
		if err != nil {
			return o.callProblem(callCtx, pkg, err)
		}
		return o.printResponse(response)
	}
	args := json.RawMessage(o.Input)
	if o.Input == "" {
		args = json.RawMessage("{}")
	}
	result, err := host.CallTool(callCtx, o.Target, args)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return o.callProblem(callCtx, pkg, err)
	}
	if !json.Valid(result) {
		return refusef("%s answered nothing that is JSON: a tool answers with JSON text (it has %d bytes)", o.Target, len(result))
	}
	return o.printResult(result)
}

// logLines prints what a package logs in a dimmed line each.
type logLines struct{ io *terminal.IO }

func (l logLines) Write(p []byte) (int, error) {
	fmt.Fprintln(l.io.Err, l.io.ErrStyle().Dim(terminal.Printable(strings.TrimSuffix(string(p), "\n"))))
	return len(p), nil
}

// freshen builds the package when dist/ is missing or older than its sources.
func (o *callOptions) freshen(ctx context.Context, pkg *manifest.Package) error {
	toolchain := readVersion().Version
	stale, err := build.Stale(pkg, toolchain)
	if err != nil || !stale {
		return err
	}
	builder := build.New(build.Options{CacheDir: o.cacheDir(), Toolchain: toolchain, OnColdStart: func() {
		o.IO.Printf("Preparing the JavaScript engine for this machine; later calls find it in the cache.\n")
	}})
	defer builder.Close(context.WithoutCancel(ctx))
	result, diags := builder.Build(ctx, pkg)
	shown := placed(builtPackage{Dir: o.Show(pkg.Dir), Diagnostics: diags})
	if result == nil {
		return shown
	}
	if len(shown) > 0 {
		terminal.PrintDiagnostics(o.IO, shown)
	}
	return nil
}

// callProblem makes a diagnostic in the author's terms of what a call ended in.
func (o *callOptions) callProblem(ctx context.Context, pkg *manifest.Package, err error) error {
	var m *sourcemap.Map
	if text, err := os.ReadFile(filepath.Join(pkg.Dir, build.DefaultOut, build.MapFile)); err == nil {
		m, _ = sourcemap.Parse(text)
	}
	d, ok := memoryhost.Problem(ctx, pkg, o.Target, m, build.BundleName, err)
	if !ok {
		return err
	}
	return placed(builtPackage{Dir: o.Show(pkg.Dir), Diagnostics: []manifest.Diagnostic{d}})
}

// printResult prints a tool's result: the text when that is all there is, else the JSON.
func (o *callOptions) printResult(result json.RawMessage) error {
	var shape struct {
		Content []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		} `json:"content"`
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	isText := !o.JSON && json.Unmarshal(result, &shape) == nil && len(shape.Content) > 0 && shape.StructuredContent == nil
	for _, block := range shape.Content {
		isText = isText && block.Type == "text" && block.Text != nil
	}
	if isText {
		for _, block := range shape.Content {
			fmt.Fprintln(o.IO.Out, terminal.Printable(*block.Text))
		}
	} else if err := o.IO.WriteJSON(result); err != nil {
		return err
	}
	if shape.IsError {
		return errFindings
	}
	return nil
}

func (o *callOptions) printResponse(response *memoryhost.Response) error {
	// The body is text on the wire; where it is JSON, JSON is what one wants to read.
	var text string
	if strings.Contains(response.Headers["content-type"], "json") && json.Unmarshal(response.Body, &text) == nil && json.Valid([]byte(text)) {
		response.Body = json.RawMessage(text)
	}
	if err := o.IO.WriteJSON(response); err != nil {
		return err
	}
	if response.Status >= 400 {
		return errFindings
	}
	return nil
}

// jsonFault says what is wrong with a text that should be JSON.
func jsonFault(text string) string {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v (at character %d)", err, syntax.Offset)
	}
	return fmt.Sprint(err)
}
