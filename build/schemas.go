package build

import (
	"github.com/neuralis-dev/neuralis/internal/toolschema"
	"github.com/neuralis-dev/neuralis/manifest"
)

// checkSchemas compiles the schemas of a package's tools, whatever its runtime is: a host refuses calls of a tool whose
// schema does not compile.
func checkSchemas(pkg *manifest.Package) manifest.Diagnostics {
	var diags manifest.Diagnostics
	for _, tool := range pkg.Tools {
		diags = append(diags, toolschema.Check(tool)...)
	}
	return diags
}
