package trust_test

import (
	"fmt"

	"github.com/neuralis-dev/neuralis/host/trust"
	"github.com/neuralis-dev/neuralis/manifest"
)

// A package in _packages that the operator trusts may do more, and still starts no process of Node.
func Example() {
	tier, err := trust.Assign(trust.ProvenanceDropZone, trust.Trusted)
	if err != nil {
		panic(err)
	}
	reason, demoted := trust.Demotion(tier, manifest.RuntimeNode)
	fmt.Println(tier, trust.ModeOf(tier), trust.DefaultLimits(tier).ToolsPerMinute, reason, demoted)
	// Output: trusted metadata-only 300 untrusted-node true
}
