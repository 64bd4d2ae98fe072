package trust

import (
	"testing"
	"time"

	"github.com/neuralis-dev/neuralis/manifest"
)

func TestAssign(t *testing.T) {
	tests := []struct {
		name       string
		provenance Provenance
		override   Tier
		want       Tier
		fails      bool
	}{
		{"a builtin", ProvenanceBuiltin, "", FirstParty, false},
		{"a builtin, called trusted", ProvenanceBuiltin, Trusted, Untrusted, true},
		{"a builtin, called first-party", ProvenanceBuiltin, FirstParty, Untrusted, true},
		{"the drop zone", ProvenanceDropZone, "", Untrusted, false},
		{"the drop zone, trusted", ProvenanceDropZone, Trusted, Trusted, false},
		{"the drop zone, untrusted", ProvenanceDropZone, Untrusted, Untrusted, false},
		{"the drop zone, first-party", ProvenanceDropZone, FirstParty, Untrusted, true},
		{"the drop zone, a word", ProvenanceDropZone, "root", Untrusted, true},
		{"a source", ProvenanceSource, "", Untrusted, false},
		{"a source, trusted", ProvenanceSource, Trusted, Trusted, false},
		{"a source, first-party", ProvenanceSource, FirstParty, Untrusted, true},
		{"from nowhere", "", "", Untrusted, false},
		{"from nowhere known", "builtin ", "", Untrusted, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Assign(test.provenance, test.override)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	tiers := append(Tiers(), "root")
	for i, a := range tiers {
		for j, b := range tiers {
			if got, want := a.AtLeast(b), i <= j; got != want {
				t.Errorf("%q at least %q: %t", a, b, got)
			}
			if got, want := Lower(a, b), tiers[max(i, j)]; got != want {
				t.Errorf("the lower of %q and %q is %q", a, b, got)
			}
		}
		if a.Valid() != (i < 3) {
			t.Errorf("%q is valid: %t", a, a.Valid())
		}
	}
}

func TestReserved(t *testing.T) {
	tests := []struct {
		name, id, npm string
		want          bool
	}{
		{"free", "catalog", "@acme/catalog", false},
		{"the id of a builtin", "runtime", "@acme/runtime", true},
		{"in other case", "Runtime", "", true},
		{"a name of a builtin with more", "runtime-2", "", false},
		{"the scope", "catalog", "@neuralis/catalog", true},
		{"the scope in other case", "catalog", "@Neuralis/catalog", true},
		{"the scope behind a space", "catalog", " @neuralis/catalog", true},
		{"a scope that begins so", "catalog", "@neuralis-labs/catalog", false},
		{"no scope", "catalog", "neuralis/catalog", false},
		{"nothing", "", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Reserved(test.id, test.npm, "core", "runtime", ""); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestDemotion(t *testing.T) {
	for _, tier := range append(Tiers(), "") {
		for runtime, reason := range map[manifest.Runtime]Reason{
			manifest.RuntimeNone: "", manifest.RuntimeWASM: "", manifest.RuntimeNode: ReasonUntrustedNode, manifest.RuntimeMCP: ReasonUntrustedMCP,
		} {
			if tier == FirstParty {
				reason = ""
			}
			if got, demoted := Demotion(tier, runtime); got != reason || demoted != (reason != "") {
				t.Errorf("%q %q: %q, %t", tier, runtime, got, demoted)
			}
		}
	}
}

func TestDefaultLimits(t *testing.T) {
	tests := map[Tier]Limits{
		FirstParty: {0, 0, 120 * time.Second, 256, true, true, 16 << 20},
		Trusted:    {300, 600, 30 * time.Second, 128, true, true, 8 << 20},
		Untrusted:  {60, 120, 10 * time.Second, 64, false, false, 4 << 20},
		"root":     {60, 120, 10 * time.Second, 64, false, false, 4 << 20},
		"":         {60, 120, 10 * time.Second, 64, false, false, 4 << 20},
	}
	for tier, want := range tests {
		if got := DefaultLimits(tier); got != want {
			t.Errorf("%q: %+v, want %+v", tier, got, want)
		}
	}
}

func TestModeOf(t *testing.T) {
	for tier, want := range map[Tier]Mode{FirstParty: ModeFull, Trusted: ModeMetadataOnly, Untrusted: ModeMetadataOnly, "": ModeMetadataOnly} {
		if got := ModeOf(tier); got != want {
			t.Errorf("%q: %q", tier, got)
		}
	}
}
