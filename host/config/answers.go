package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/host/trust"
)

// User returns the user of an id.
func (c *Config) User(id string) (User, bool) {
	i := slices.IndexFunc(c.Users, func(u User) bool { return u.ID == id })
	if i < 0 {
		return User{}, false
	}
	return c.Users[i], true
}

// Admin reports whether a user has a role that administers the host.
func (c *Config) Admin(userID string) bool {
	u, ok := c.User(userID)
	return ok && c.Roles[u.Role].Admin
}

// MayFlag reports whether a user may decide that packages in a source are recognised: an admin may, and so may
// the user whose source it is. The owner of an agent's source is no user, so for those only admins may.
func (c *Config) MayFlag(userID string, s Source) bool {
	u, ok := c.User(userID)
	if !ok {
		return false
	}
	return c.Roles[u.Role].Admin || s.Owner == u.ID && s.Scope != ScopeAgent
}

// Recognized reports whether packages in a source are packages of this host: it is flagged, by the operator or
// by somebody who may.
func (c *Config) Recognized(s Source) bool {
	return s.RecognizesPackages && (s.FlaggedBy == "" || c.MayFlag(s.FlaggedBy, s))
}

// SessionFor returns the session of a user as far as the config goes: the features are those of the role and of
// the user, patterns such as catalog.* among them. Package catalog makes the features of a call of it, as only
// the packages that are there say what can be granted.
func (c *Config) SessionFor(userID string) (session.Session, error) {
	u, ok := c.User(userID)
	if !ok {
		return session.Session{}, fmt.Errorf("the host's config has no user %q: add one to users", userID)
	}
	s := session.Session{UserID: u.ID, ProjectID: c.ProjectID, Role: u.Role}
	return s.With(slices.Concat(c.Roles[u.Role].Features, u.Features)...), nil
}

// LimitsFor returns the limits of a tier: its own, with what the operator changed.
func (c *Config) LimitsFor(t trust.Tier) trust.Limits {
	limits := trust.DefaultLimits(t)
	var o LimitOverrides
	switch t {
	case trust.FirstParty:
		o = c.Limits.FirstParty
	case trust.Trusted:
		o = c.Limits.Trusted
	default:
		o = c.Limits.Untrusted
	}
	set := func(into *int, value *int) {
		if value != nil {
			*into = *value
		}
	}
	set(&limits.ToolsPerMinute, o.ToolsPerMinute)
	set(&limits.RoutesPerMinute, o.RoutesPerMinute)
	set(&limits.MemoryMiB, o.MemoryMiB)
	set(&limits.MaxResultBytes, o.MaxResultBytes)
	if o.DeadlineMS != nil {
		limits.Deadline = time.Duration(*o.DeadlineMS) * time.Millisecond
	}
	return limits
}
