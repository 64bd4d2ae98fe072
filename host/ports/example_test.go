package ports_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/neuralis-dev/neuralis/host/ports"
	"github.com/neuralis-dev/neuralis/host/runtime"
	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// What a package asks of its host is JSON, and so are the answers. A runtime makes the ports of each call.
func ExampleNew() {
	calls := ports.New(ports.Package{
		ID: "core", Tier: trust.FirstParty,
		Settings: []manifest.ConfigSetting{{Key: "core.size", Type: "integer", Default: json.RawMessage("20")}},
	})
	call := calls(runtime.Caller{})
	defer call.Close()
	for _, request := range []string{`{"op":"config.get","key":"core.size"}`, `{"op":"config.get","key":"other"}`} {
		fmt.Printf("%s\n", call.Answer(context.Background(), []byte(request)))
	}
	// Output:
	// {"ok":20}
	// {"ok":null,"error":{"code":"unknown-config","message":"the setting \"other\" is not declared in configSettings"}}
}
