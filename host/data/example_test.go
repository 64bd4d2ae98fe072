package data_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/neuralis-dev/neuralis/host/data"
)

func Example() {
	dataDir, err := os.MkdirTemp("", "data")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dataDir)
	dir, err := data.PackageDir(dataDir, "catalog")
	if err != nil {
		panic(err)
	}
	store, err := data.Open(dir, data.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()

	items, err := store.FileStore("items")
	if err != nil {
		panic(err)
	}
	stock, err := items.Update(ctx, "Tea", func(old json.RawMessage) (json.RawMessage, error) {
		if old == nil {
			return json.RawMessage(`{"stock":1}`), nil
		}
		return nil, nil // leave it as it is
	})
	fmt.Println(string(stock), err)

	for _, line := range []string{`"opened"`, `"sold"`} {
		if err := store.Append(ctx, "history.jsonl", json.RawMessage(line), data.Rotation{MaxBytes: 1 << 20, Keep: 3}); err != nil {
			panic(err)
		}
	}
	newest, err := store.ReadNewest(ctx, "history.jsonl", 1)
	fmt.Println(string(newest[0]), err)

	path, err := store.DataPath("items/%54ea.json")
	rel, _ := filepath.Rel(dataDir, path)
	fmt.Println(filepath.ToSlash(rel), err)
	_, err = store.DataPath("../other/secret")
	fmt.Println(err)
	// Output:
	// {"stock":1} <nil>
	// "sold" <nil>
	// packages/catalog/items/%54ea.json <nil>
	// name the path "../other/secret": it leads out of the package's folder
}
