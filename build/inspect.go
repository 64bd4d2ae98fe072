package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/neuralis-dev/neuralis/internal/image"
	"github.com/neuralis-dev/neuralis/internal/regularfile"
	"github.com/neuralis-dev/neuralis/internal/wasmbin"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Inspection is what a plug-in holds.
type Inspection struct {
	File  string `json:"file"`
	Bytes int    `json:"bytes"`
	// Format says who made it: "neuralis", or "foreign" for any other module.
	Format string `json:"format"`

	ID        string `json:"id,omitempty"`
	Version   string `json:"version,omitempty"`
	Toolchain string `json:"toolchain,omitempty"`
	Engine    string `json:"engine,omitempty"`
	Core      string `json:"core,omitempty"` // SHA-256
	CoreBytes int    `json:"coreBytes,omitempty"`

	ImageBytes    int    `json:"imageBytes,omitempty"`
	ImageSegments int    `json:"imageSegments,omitempty"`
	MemoryKiB     uint32 `json:"memoryKiB"`
	MapBytes      int    `json:"mapBytes,omitempty"`

	Tools     []string         `json:"tools"`
	Routes    []manifest.Route `json:"routes"`
	Lifecycle []string         `json:"lifecycle"`
	Imports   []string         `json:"imports"` // module.name
	Exports   []string         `json:"exports"`
}

// MaxModule is the size of plug-ins that are read, in bytes: a hundred times what packages come to.
const MaxModule = 256 << 20

// FindModule leads from what people name to the file of a plug-in: a file is that file, a folder the package that was
// built in it, or what a build put there. What is not there is reported as a file that is not there.
func FindModule(path string) (file string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return path, nil
	}
	file = filepath.Join(path, DefaultOut, ModuleFile)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if direct := filepath.Join(path, ModuleFile); !isFolder(filepath.Join(path, DefaultOut)) {
		if _, err := os.Stat(direct); err == nil {
			return direct, nil
		}
	}
	return file, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Inspect reads a plug-in, which is found as [FindModule] does. Only regular files of at most [MaxModule] bytes are
// read.
func Inspect(ctx context.Context, path string) (*Inspection, error) {
	file, err := FindModule(path)
	switch {
	case file != "" && errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no %s: build the package first, or name a .wasm file", file)
	case err != nil:
		return nil, fmt.Errorf("inspecting %s: %w", path, errors.Unwrap(err))
	}
	path = file
	module, err := regularfile.Read(path, MaxModule)
	if errors.Is(err, regularfile.ErrNotRegular) {
		return nil, fmt.Errorf("%s is not a file: name a .wasm file, or the folder of a built package", path)
	}
	if err != nil {
		return nil, fmt.Errorf("inspecting %s: %w", path, errors.Unwrap(err))
	}
	out := &Inspection{File: path, Bytes: len(module), Format: "foreign",
		Tools: []string{}, Routes: []manifest.Route{}, Lifecycle: []string{}, Imports: []string{}, Exports: []string{}}
	if info, err := os.Stat(path + ".map"); err == nil {
		out.MapBytes = int(info.Size())
	}
	core, img, meta, err := image.Split(module)
	switch {
	case err == nil:
		out.Format = "neuralis"
		out.ID, out.Version, out.Toolchain, out.Engine = meta.ID, meta.Version, meta.Toolchain, meta.Engine
		out.Core, out.CoreBytes = image.CoreHash(core), len(core)
		out.ImageBytes, out.ImageSegments, out.MemoryKiB = img.Size(), len(img.Segments), img.Pages*wasmbin.PageSize/1024
		if err := out.describe(meta.Package); err != nil {
			return nil, fmt.Errorf("inspecting %s: %w", path, err)
		}
	case !errors.Is(err, image.ErrForeign):
		return nil, fmt.Errorf("inspecting %s: %w", path, err)
	}
	if err := out.externs(ctx, module); err != nil {
		return nil, fmt.Errorf("inspecting %s: %w", path, err)
	}
	return out, nil
}

func (o *Inspection) describe(text json.RawMessage) error {
	var described struct {
		Tools     []string         `json:"tools"`
		Routes    []manifest.Route `json:"routes"`
		Lifecycle []string         `json:"lifecycle"`
	}
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return fmt.Errorf("its description is unreadable: %w", err)
	}
	o.Tools = append(o.Tools, described.Tools...)
	o.Routes = append(o.Routes, described.Routes...)
	o.Lifecycle = append(o.Lifecycle, described.Lifecycle...)
	return nil
}

// externs lists imports and exports. Reading the sections is enough for our own modules; others may
// hold anything, and a WebAssembly runtime reads them.
func (o *Inspection) externs(ctx context.Context, module []byte) error {
	if m, err := wasmbin.Parse(module); err == nil {
		for _, i := range m.Imports {
			o.Imports = append(o.Imports, i.Module+"."+i.Name)
		}
		for _, e := range m.Exports {
			o.Exports = append(o.Exports, e.Name)
		}
		if o.MemoryKiB == 0 && len(m.Memories) > 0 {
			o.MemoryKiB = m.Memories[0].Min * (wasmbin.PageSize / 1024)
		}
		return nil
	}
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer rt.Close(ctx)
	compiled, err := rt.CompileModule(ctx, module)
	if err != nil {
		return err
	}
	for _, f := range compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		o.Imports = append(o.Imports, from+"."+name)
	}
	o.Exports = append(o.Exports, sortedKeys(compiled.ExportedFunctions())...)
	for name, memory := range compiled.ExportedMemories() {
		o.Exports = append(o.Exports, name)
		o.MemoryKiB = memory.Min() * (wasmbin.PageSize / 1024)
	}
	return nil
}

func sortedKeys(functions map[string]api.FunctionDefinition) []string {
	names := make([]string, 0, len(functions))
	for name := range functions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
