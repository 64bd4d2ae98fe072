package logs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/neuralis-dev/neuralis/host/logs"
)

func Example() {
	dir, err := os.MkdirTemp("", "logs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	secrets := &logs.Redactor{}
	secrets.Add("k-12345")
	all, err := logs.Open(logs.Options{
		DataDir: dir, GlobalDir: dir,
		Settings: func() logs.Settings { return logs.Settings{Level: logs.Info} },
		Now:      func() time.Time { return time.Unix(0, 0) },
		Redactor: secrets,
	})
	if err != nil {
		panic(err)
	}
	defer all.Close()
	log, err := all.For(logs.Package{Key: "catalog", ID: "catalog"})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	log.Log(ctx, logs.Debug, "not kept", nil, logs.Call{})
	log.Log(ctx, logs.Warn, "the key k-12345 was refused", json.RawMessage(`{"status":401}`), logs.Call{Tool: "catalog_list"})
	lines, err := log.ReadNewest(ctx, 10)
	for _, line := range lines {
		fmt.Println(string(line))
	}
	fmt.Println(err)
	// Output:
	// {"time":"1970-01-01T00:00:00.000Z","level":"warn","package":"catalog","message":"the key [secret] was refused","fields":{"status":401},"tool":"catalog_list"}
	// <nil>
}
