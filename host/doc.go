// Package host runs packages: it is what `neuralis serve`, `dev`, `test` and `call` have in common.
//
// # What it is for
//
// Open makes a [Host] of an operator's config. It finds the packages, says how far each is trusted, and answers calls
// of their tools and routes; the sub-packages each do one of these things, and here they are put together:
//
//	config ──► catalog ──► dispatch ──► runtime ──► sandbox        a call goes this way
//	  who         what        may it      where        the code
//	                                        │
//	                                        ▼
//	                                      ports ──► data, logs, credentials, settings, other packages
//
// A Host is a [dispatch.Caller]. [Host.Rescan] looks again at what is on disk, [Host.Reconfigure] takes another config;
// calls that are running go on with the version of a package that they began with, whose gates they passed. [Host.Close]
// lets them finish, with what they call in turn.
//
// # What it guarantees
//
// There is one way in: whoever calls, over HTTP or MCP, on the command line or from within a package, passes the same
// gates. A config that is wrong changes nothing. A package that fails takes no other down. No reload gives a package
// more trust than it had: that takes a new Host. A secret that a package was given is masked in what is logged, by the package
// and about it.
//
// Everything that a package keeps is below the dataDir of the config, in a folder of the package's own, and two hosts may
// work on one dataDir at the same time.
//
// # What it refuses
//
// It carries no compiler and changes no package. It reads no environment and no clock of its own accord: both are
// options. It listens to nothing; package httpapi does that with a Host.
package host
