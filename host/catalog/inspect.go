package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// Where a build leaves what a host runs.
const (
	defaultModule = "dist/package.wasm"
	routesFile    = "dist/routes.json"
	toolCode      = "dist/src/tools"
	routeCode     = "dist/src/routes"
	lifecycleCode = "dist/src/lifecycle.js"
)

// inspector looks into one folder at a time. It may be used from several goroutines.
type inspector struct {
	overrides map[string]trust.Tier
	previous  *Catalog
	held      []string
	now       time.Time
	// load is manifest.Load, but for tests of what happens when it goes wrong.
	load func(dir string) (*manifest.Package, manifest.Diagnostics)
}

// inspect makes the entry of a candidate. It is nil for a folder that is no package and need not be one.
func (in inspector) inspect(c candidate) (e *Entry) {
	e = &Entry{
		ID: fallbackID(c.name), Kind: KindPackage, Dir: c.dir, Location: c.location,
		Provenance: c.provenance, Tier: trust.Untrusted, Mode: trust.ModeMetadataOnly, Status: StatusReady, Scope: c.scope, Source: c.source,
	}
	// Whatever goes wrong here is about one package, and no reason for the others not to be there.
	defer func() {
		if r := recover(); r != nil {
			e.Package = nil
			e.fail(trust.ReasonUnreadable, fmt.Sprintf("reading the package failed, which is a fault of the host: %v", r))
		}
	}()
	if c.failure != "" {
		e.fail(c.failure, c.message)
		return e
	}
	if slices.Contains(in.held, c.dir) {
		if before := in.previous.held(c.scope, c.dir); before != nil {
			in.assign(before) // the operator may have changed their mind
			return before
		}
	}
	pkg, diagnostics := in.load(c.dir)
	if pkg == nil && !c.reported && missing(diagnostics) {
		return nil
	}
	for i, d := range diagnostics {
		diagnostics[i].Message = strings.ReplaceAll(d.Message, c.dir, c.location) // where it is on the machine is nobody's concern
	}
	e.Package, e.Diagnostics = pkg, diagnostics
	if pkg != nil {
		e.ManifestHash = hashOf(pkg.Source)
		e.ID = cmp.Or(pkg.ID, e.ID)
	}
	for _, d := range diagnostics {
		if d.Severity == manifest.SeverityError && (pkg == nil || d.File == pkg.ManifestFile || d.File == "") {
			e.fail(trust.ReasonInvalidManifest, d.Error())
			return e
		}
	}
	if pkg == nil || pkg.ID == "" { // an error says why, and was seen above
		e.fail(trust.ReasonInvalidManifest, "the package has no manifest that could be used")
		return e
	}
	in.assign(e)
	if !e.Usable() {
		return e
	}
	if len(pkg.Manifest.Provides) > 0 && e.Provenance != trust.ProvenanceBuiltin {
		e.diagnose(RuleProvidesIgnored, manifest.SeverityWarning, "remove it", []string{"provides"},
			"services of the platform are provided by first-party packages only; what this one provides is ignored")
		pkg.Manifest.Provides = nil
	}
	if why, demoted := trust.Demotion(e.Tier, pkg.Runtime); demoted {
		message := fmt.Sprintf("code of the kind %s runs in first-party packages only, and this one is %s; what the package declares is there all the same", pkg.Runtime, e.Tier)
		e.diagnose(RuleRuntimeDenied, manifest.SeverityWarning, "make it a wasm package, or ask the operator to list its folder among the builtins", []string{"runtime", "type"}, "%s", message)
		e.demote(why, message)
	}
	in.code(e)
	for _, d := range e.Diagnostics {
		if d.Severity == manifest.SeverityError {
			e.demote(trust.ReasonInvalidContribution, d.Error())
		}
	}
	return e
}

// missing reports whether nothing else is wrong with a folder than that it is no package.
func missing(diagnostics manifest.Diagnostics) bool {
	for _, d := range diagnostics {
		if d.Rule != manifest.RuleManifestMissing {
			return false
		}
	}
	return true
}

// fallbackID is what a folder is called that has no id to be called by.
func fallbackID(name string) string {
	return cmp.Or(manifest.Slug(strings.ToValidUTF8(name, "-")), "unnamed")
}

// assign gives the entry its tier.
func (in inspector) assign(e *Entry) {
	name := e.ID
	if e.Scope.Kind != ScopeProject {
		name = e.Source + "/" + e.ID
	}
	tier, err := trust.Assign(e.Provenance, in.overrides[name])
	if err != nil {
		e.diagnose(RuleTrustOverride, manifest.SeverityError, "", nil, "%v", err)
		e.fail(trust.ReasonTrustConflict, err.Error())
	}
	if floor, ok := in.previous.floor(e.Scope, e.Dir); ok && trust.Compare(tier, floor) > 0 {
		e.diagnose(RuleTrustKept, manifest.SeverityWarning, "start the host anew if that is what you want", nil,
			"the package stays %s: a folder is given more trust, here %s, only when the host starts", floor, tier)
		tier = floor
	}
	e.Tier, e.Mode = tier, trust.ModeOf(tier)
}

// code lists the code of the package. None of it is run.
func (in inspector) code(e *Entry) {
	root, err := regularfile.Root(e.Dir)
	if err != nil {
		e.fail(trust.ReasonUnreadable, fmt.Sprintf("the folder cannot be read: %v", reason(err)))
		return
	}
	defer root.Close()
	e.Code = Code{Tools: listFiles(root, toolCode, ".js"), Routes: listFiles(root, routeCode, ".js")}
	if info, err := root.Stat(lifecycleCode); err == nil && info.Mode().IsRegular() {
		e.Code.Lifecycle = lifecycleCode
	}
	in.routes(e, root)
	if e.Package.Runtime != manifest.RuntimeWASM {
		return
	}
	e.Module = cmp.Or(e.Package.Manifest.Runtime.Entry.Module, defaultModule)
	module, err := hashModule(root, e.Module, in.previous.module(e.Scope, e.Dir), in.now)
	switch {
	case err == nil:
		e.stamp, e.ModuleHash = module, module.hash
	case errors.Is(err, fs.ErrNotExist):
		e.notBuilt(e.Module)
	default:
		message := fmt.Sprintf("the module %s cannot be used: %v", e.Module, reason(err))
		e.Diagnostics = append(e.Diagnostics, manifest.Diagnostic{Rule: RuleInvalidModule, Severity: manifest.SeverityError, File: e.Module,
			Message: message, Hint: "build the package again"})
		e.demote(trust.ReasonInvalidModule, message)
	}
}

// routes reads dist/routes.json.
func (in inspector) routes(e *Entry, root *os.Root) {
	source, err := readFile(root, routesFile, int64(jsondoc.DefaultLimits().MaxBytes))
	var diagnostics manifest.Diagnostics
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if e.Package.Runtime == manifest.RuntimeWASM && len(e.Package.RouteSources) > 0 {
			e.notBuilt(routesFile)
		}
		return
	case err != nil:
		diagnostics = manifest.Diagnostics{{Rule: manifest.RuleFileUnreadable, Severity: manifest.SeverityError, File: routesFile,
			Message: fmt.Sprintf("the file cannot be read: %v", reason(err)), Hint: "build the package again"}}
	default:
		e.RoutesHash = hashOf(source)
		var table manifest.RouteTable
		if table, diagnostics = manifest.ParseRouteTable(routesFile, source); !diagnostics.HasErrors() {
			e.Routes = table
		}
	}
	e.Diagnostics = append(e.Diagnostics, diagnostics...)
	for _, d := range diagnostics {
		if d.Severity == manifest.SeverityError {
			e.demote(trust.ReasonInvalidRoutes, d.Error())
		}
	}
}

// notBuilt says that a file is missing that a build makes.
func (e *Entry) notBuilt(file string) {
	message := fmt.Sprintf("the package is not built: there is no %s", file)
	e.Diagnostics = append(e.Diagnostics, manifest.Diagnostic{Rule: RuleNotBuilt, Severity: manifest.SeverityError, File: file,
		Message: message, Hint: "run neuralis build in the package's folder"})
	e.demote(trust.ReasonNotBuilt, message)
}

// diagnose adds a diagnostic about a place in the manifest; without a path, about the id.
func (e *Entry) diagnose(rule string, severity manifest.Severity, hint string, path []string, format string, arguments ...any) {
	d := manifest.Diagnostic{Rule: rule, Severity: severity, Message: fmt.Sprintf(format, arguments...), Hint: hint}
	if e.Package != nil {
		if path == nil {
			path = []string{"id"}
		}
		doc := e.Package.Document()
		pointer := e.Package.Pointer(path...)
		span := doc.ValueSpan(pointer)
		if place := doc.Lookup(pointer); place.Value != nil && place.Value.Kind == jsondoc.Object {
			span = doc.KeySpan(pointer)
		}
		d.File, d.Line, d.Column, d.EndColumn = e.Package.ManifestFile, span.Line, span.Column, span.EndColumn
		d.Frame = manifest.Frame(e.Package.Source, d.Line, d.Column, d.EndColumn)
	}
	e.Diagnostics = append(e.Diagnostics, d)
}
