package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/manifest"
)

func ExampleLoad() {
	pkg, diagnostics := manifest.Load(filepath.Join("testdata", "catalog"))
	if diagnostics.HasErrors() {
		fmt.Println(diagnostics)
		return
	}
	fmt.Println(pkg.ID, pkg.Version, pkg.Runtime)
	for _, tool := range pkg.Tools {
		fmt.Println(tool.Name, "is for", tool.Extension.Annotations.Category, "in", tool.Source)
	}
	for _, skill := range pkg.Skills {
		fmt.Println(skill.Name+":", skill.Description)
	}
	fmt.Println(pkg.RouteSources)
	// Output:
	// catalog 1.2.0 wasm
	// catalog_list is for read in src/tools/catalog_list.ts
	// catalog_put is for write in src/tools/catalog_put.ts
	// find-products: Find products in the catalog and quote their prices
	// [src/routes/catalog.ts src/routes/files.ts src/routes/search.ts]
}

func ExampleLoad_diagnostics() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	text := "{\n  \"name\": \"@acme/catalog\",\n  \"neuralis\": { \"runtime\": { \"type\": \"wasmer\" } }\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o644); err != nil {
		panic(err)
	}
	_, diagnostics := manifest.Load(dir)
	for _, d := range diagnostics {
		fmt.Println(d.Severity, d.Rule, d.Error())
		fmt.Print(d.Frame)
	}
	// Output:
	// error unknown-runtime package.json:3:38: neuralis.runtime.type must be one of "wasm", "node", "mcp", found "wasmer"
	//   1 | {
	//   2 |   "name": "@acme/catalog",
	// > 3 |   "neuralis": { "runtime": { "type": "wasmer" } }
	//     |                                      ^^^^^^^^
	//   4 | }
}

func ExamplePackage_Document() {
	pkg, _ := manifest.Load(filepath.Join("testdata", "catalog"))
	span := pkg.Document().ValueSpan(pkg.Pointer("features", "1", "id"))
	fmt.Printf("%s:%d:%d\n", pkg.ManifestFile, span.Line, span.Column)
	// Output:
	// package.json:14:15
}

func ExampleRouter_Match() {
	router, err := manifest.NewRouter([]manifest.Route{
		{Pattern: "catalog/:id", Methods: []string{"GET"}, Source: "src/routes/catalog.ts"},
		{Pattern: "catalog/search", Methods: []string{"GET"}, Source: "src/routes/search.ts"},
		{Pattern: "files/*path", Methods: []string{"PUT"}, Source: "src/routes/files.ts"},
	})
	if err != nil {
		panic(err)
	}
	for _, request := range [][2]string{
		{"GET", "catalog/search"}, {"HEAD", "catalog/desk%20lamp"}, {"PUT", "files/a/b%2Fc"}, {"POST", "catalog/lamp"}, {"GET", "catalog"},
	} {
		match, result := router.Match(request[0], request[1])
		fmt.Println(request[0], request[1], "->", result, match.Route.Source, match.Params, match.Allowed)
	}
	// Output:
	// GET catalog/search -> matched src/routes/search.ts map[] [GET HEAD]
	// HEAD catalog/desk%20lamp -> matched src/routes/catalog.ts map[id:desk lamp] [GET HEAD]
	// PUT files/a/b%2Fc -> matched src/routes/files.ts map[path:a/b/c] [PUT]
	// POST catalog/lamp -> method not allowed src/routes/catalog.ts map[] [GET HEAD]
	// GET catalog -> not found  map[] []
}

func ExampleParsePattern() {
	for _, text := range []string{"catalog/:id/*rest", "/catalog", "catalog/{id}"} {
		if p, err := manifest.ParsePattern(text); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println(p.Shape(), p.Params())
		}
	}
	// Output:
	// catalog/:/* [id rest]
	// pattern "/catalog": it begins with a slash; patterns are relative to the package, so leave it out
	// pattern "catalog/{id}": the segment "{id}" has '{', which a pattern cannot have
}

func ExampleParseSkill() {
	front, diagnostics := manifest.ParseSkill("skills/quote/SKILL.md", []byte("---\nname: quote\ndescription: Quote prices\n---\n# How\n"))
	fmt.Printf("%q %q %d\n", front.Name, front.Description, len(diagnostics))
	// Output:
	// "quote" "Quote prices" 0
}

func ExampleFrame() {
	fmt.Print(manifest.Frame([]byte("const a = 1;\nconst b = a.c.d;\n"), 2, 13, 14))
	// Output:
	//   1 | const a = 1;
	// > 2 | const b = a.c.d;
	//     |             ^
}

func ExampleRouteTable_Bytes() {
	table := manifest.RouteTable{Routes: []manifest.Route{{Pattern: "catalog/:id", Methods: []string{"PUT", "GET"}, Source: "src/routes/catalog.ts"}}}
	fmt.Printf("%s", table.Bytes())
	// Output:
	// {
	//   "version": 1,
	//   "routes": [
	//     {
	//       "pattern": "catalog/:id",
	//       "methods": [
	//         "GET",
	//         "PUT"
	//       ],
	//       "source": "src/routes/catalog.ts"
	//     }
	//   ]
	// }
}
