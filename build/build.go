package build

import (
	"context"
	"path/filepath"
	"time"

	"github.com/neuralis-dev/neuralis/build/bundle"
	"github.com/neuralis-dev/neuralis/build/wasm"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Interface builds packages.
type Interface interface {
	// Build builds one package. The result is nil when the diagnostics hold an error; they may
	// hold warnings when it is not.
	Build(ctx context.Context, pkg *manifest.Package) (*Result, manifest.Diagnostics)
}

// Result is a finished build.
type Result struct {
	Package *manifest.Package
	// Dir is the folder the files are in, absolute.
	Dir string
	// Files are what the build made, sorted by path. Nil for a declarative package.
	Files []File
	// Routes is the content of routes.json.
	Routes manifest.RouteTable
	// Module says what is in the plug-in of a sandboxed package.
	Module *ModuleInfo
	// Inputs are the files that went into the bundle; nil unless Options.ListInputs is set.
	Inputs []bundle.InputFile
	// Logs are what a sandboxed package's top-level code wrote to the console.
	Logs []wasm.LogLine
	// Duration is the time the build took.
	Duration time.Duration
}

// File is one file of a build. Path is relative to the output folder, with slashes.
type File struct {
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// ModuleInfo is what one wants to know of a plug-in's size.
type ModuleInfo struct {
	Engine     string `json:"engine"`
	Core       string `json:"core"`       // SHA-256 of the core that every package shares
	Bundle     int    `json:"bundle"`     // bytes of JavaScript
	Image      int    `json:"image"`      // bytes of the snapshot
	MemoryKiB  uint32 `json:"memoryKiB"`  // memory an instance starts with
	ModuleSize int    `json:"moduleSize"` // bytes of package.wasm
}

// Options say how packages are built. The zero value builds into dist/ without a cache.
type Options struct {
	// Out is the output folder: relative to the package, or absolute. Empty: dist.
	Out string
	// Minify makes the bundle smaller.
	Minify bool
	// Compiler makes the plug-in: CompilerBuiltin (also when empty) or CompilerExtismJS.
	Compiler string
	// CacheDir keeps the engine's machine code between runs; see wasm.Options.
	CacheDir string
	// Toolchain is the version written into packages.
	Toolchain string
	// ListInputs fills Result.Inputs.
	ListInputs bool
	// OnColdStart is called, once, before the work that only a first run does.
	OnColdStart func()
	// Environ is what an external compiler sees, as os.Environ; its PATH is where it is looked for.
	Environ []string
}

// The compilers there are.
const (
	CompilerBuiltin  = "builtin"
	CompilerExtismJS = "extism-js"
)

// The files in the output folder.
const (
	ModuleFile = "package.wasm"
	MapFile    = "package.wasm.map"
	RoutesFile = "routes.json"
)

// DefaultOut is the output folder of a package.
const DefaultOut = "dist"

// BundleName is what the engine calls the bundle in its stacks.
const BundleName = "package.js"

// outDir is the absolute output folder of a package.
func (o Options) outDir(pkg *manifest.Package) string {
	switch {
	case o.Out == "":
		return filepath.Join(pkg.Dir, DefaultOut)
	case filepath.IsAbs(o.Out):
		return o.Out
	}
	return filepath.Join(pkg.Dir, o.Out)
}

// The rules that building reports under, besides those of the manifest and the bundle.
const (
	// RuleEvaluation: the package's top-level code threw while the snapshot was taken.
	RuleEvaluation = "top-level-exception"
	// RuleShape: a module does not export what its folder asks for.
	RuleShape = "module-shape"
	// RulePending: a top-level await never settled.
	RulePending = "top-level-await-pending"
	// RuleTimeout: top-level code ran for too long.
	RuleTimeout = "top-level-timeout"
	// RuleOutput: the output could not be written.
	RuleOutput = "output"
	// RuleCompiler: an external compiler is missing or failed.
	RuleCompiler = "compiler"
)
