package lint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/lint"
)

func ExampleRun() {
	dir, err := os.MkdirTemp("", "shop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	manifest := `{
  "id": "shop",
  "features": [{ "id": "shop.read" }],
  "requires": { "accessFeature": "shop.raed" }
}`
	if err := os.WriteFile(filepath.Join(dir, "neuralis.package.json"), []byte(manifest), 0o644); err != nil {
		panic(err)
	}
	report, err := lint.Run(context.Background(), []string{dir}, lint.Options{})
	if err != nil {
		panic(err)
	}
	for _, d := range report.Packages[0].Diagnostics {
		fmt.Println(d.Error())
		fmt.Println("  ", d.Rule, "-", d.Hint)
	}
	// Output:
	// neuralis.package.json:3:24: nothing asks for the feature "shop.read"
	//    feature-unused - did you mean "shop.raed"?
	// neuralis.package.json:4:34: the package does not declare the feature "shop.raed", so no role has it unless an operator gives it
	//    feature-undeclared - did you mean "shop.read"?
}
