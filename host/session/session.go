package session

import (
	"slices"

	"github.com/neuralis-dev/neuralis/host/trust"
)

// Session is who a call is made for. Each part may be empty; the zero value is nobody, who has no features and
// is shown what a whole project is shown.
type Session struct {
	// UserID is the user, as the operator's config names them.
	UserID string `json:"userId,omitempty"`
	// ProjectID is the project.
	ProjectID string `json:"projectId,omitempty"`
	// AgentID is the agent that acts for the user.
	AgentID string `json:"agentId,omitempty"`
	// CallerID is the package that makes the call, where it is one.
	CallerID string `json:"callerId,omitempty"`
	// CallerTrust is the tier of that package.
	CallerTrust trust.Tier `json:"callerTrust,omitempty"`
	// Role is the user's role.
	Role string `json:"role,omitempty"`
	// Features are the permissions, sorted.
	Features []string `json:"features,omitempty"`
}

// Has reports whether the session has a feature. Everybody has the empty one: it stands for nothing being
// asked for.
func (s Session) Has(feature string) bool {
	return feature == "" || slices.Contains(s.Features, feature)
}

// IsZero reports whether the session is nobody's.
func (s Session) IsZero() bool {
	return s.UserID == "" && s.ProjectID == "" && s.AgentID == "" && s.CallerID == "" && s.CallerTrust == "" && s.Role == "" && len(s.Features) == 0
}

// With returns the session with further features. They are sorted, each is there once, and s is left as it is.
func (s Session) With(features ...string) Session {
	all := slices.Concat(s.Features, features)
	slices.Sort(all)
	s.Features = slices.Compact(all)
	return s
}
