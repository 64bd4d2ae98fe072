package trust

import "time"

// Limits are what a package of a tier may use. Rates are counted for each package over a sliding window of one
// minute.
type Limits struct {
	// ToolsPerMinute and RoutesPerMinute are how many calls are let through in a minute; 0 is no limit.
	ToolsPerMinute, RoutesPerMinute int
	// Deadline is how long one call may take.
	Deadline time.Duration
	// MemoryMiB is the most memory an instance of the package may have, in MiB.
	MemoryMiB int
	// CallRoute says whether the package may call routes of other packages.
	CallRoute bool
	// Network says whether the package may reach the hosts that its manifest declares.
	Network bool
	// MaxResultBytes is the longest result of a call, as JSON.
	MaxResultBytes int
}

// DefaultLimits returns the limits of a tier where the operator says nothing else. What is no tier has those of
// an untrusted package.
func DefaultLimits(t Tier) Limits {
	switch t {
	case FirstParty:
		return Limits{Deadline: 120 * time.Second, MemoryMiB: 256, CallRoute: true, Network: true, MaxResultBytes: 16 << 20}
	case Trusted:
		return Limits{ToolsPerMinute: 300, RoutesPerMinute: 600, Deadline: 30 * time.Second, MemoryMiB: 128, CallRoute: true, Network: true, MaxResultBytes: 8 << 20}
	}
	return Limits{ToolsPerMinute: 60, RoutesPerMinute: 120, Deadline: 10 * time.Second, MemoryMiB: 64, MaxResultBytes: 4 << 20}
}
