package catalog_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/host/config"
)

// A host scans when it starts and whenever something changes, and asks the catalog with the session of a caller.
func Example() {
	project, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(project)
	dir := filepath.Join(project, "_packages", "catalog")
	manifest := `{"neuralis": {"id": "catalog", "features": [{"id": "catalog.read"}], "defaultRoleGrants": {"member": ["catalog.read"]}}}`
	if err := os.MkdirAll(dir, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(manifest), 0o644); err != nil {
		panic(err)
	}
	c, diagnostics := config.Parse(config.File, []byte(`{
		"users": [{"id": "ada", "role": "member"}],
		"roles": {"member": {}},
		"trust": {"catalog": "trusted"}
	}`), project)
	if diagnostics.HasErrors() {
		panic(diagnostics)
	}

	roots := catalog.FromConfig(c)
	roots.Now = time.Now()
	now := catalog.Scan(context.Background(), roots)
	ada, err := c.SessionFor("ada")
	if err != nil {
		panic(err)
	}
	ada = now.Grant(ada, c.Roles[ada.Role])
	for _, e := range now.Visible(ada) {
		fmt.Println(e.ID, e.Location, e.Tier, e.Mode, e.Status)
	}
	fmt.Println(ada.Features)
	// Output:
	// catalog _packages/catalog trusted metadata-only ready
	// [catalog.read]
}
