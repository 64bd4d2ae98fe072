package host

import (
	"cmp"
	"slices"

	"github.com/neuralis-dev/neuralis/host/session"
)

// Authenticate returns the session of the user with a token.
func (h *Host) Authenticate(token string) (session.Session, bool) {
	m := h.now.Load()
	id, ok := m.verifier.User(token)
	if !ok {
		return session.Session{}, false
	}
	who, err := m.session(id)
	return who, err == nil
}

// Session returns the session of a user of the config, with the features that the packages there are give to it. The
// error says that there is no such user.
func (h *Host) Session(userID string) (session.Session, error) { return h.now.Load().session(userID) }

func (m *moment) session(userID string) (session.Session, error) {
	if known, ok := m.sessions.Load(userID); ok {
		return known.(session.Session), nil
	}
	who, err := m.config.SessionFor(userID)
	if err != nil {
		return session.Session{}, err
	}
	who = m.directory.Catalog().Grant(who, m.config.Roles[who.Role])
	m.sessions.Store(userID, who)
	return who, nil
}

// Person is somebody who calls without a token: an author who tries a package out.
type Person struct {
	// Role is the role, which need not be one of the config.
	Role string
	// Features are had besides those of the role; patterns such as catalog.* and * are allowed.
	Features []string
	// User, Project and Agent are their ids. An empty user is LocalUser, an empty project that of the host.
	User, Project, Agent string
}

// SessionOf returns the session of a person, with the features that the config and the packages there are give to it. A
// person who is a user of the config and says nothing of role and features has theirs.
func (h *Host) SessionOf(p Person) session.Session {
	m := h.now.Load()
	role, features := p.Role, p.Features
	if u, ok := m.config.User(p.User); ok && role == "" && len(features) == 0 {
		role, features = u.Role, u.Features
	}
	who := session.Session{
		UserID: cmp.Or(p.User, LocalUser), ProjectID: cmp.Or(p.Project, m.config.ProjectID), AgentID: p.Agent, Role: role,
	}
	r := m.config.Roles[role]
	return m.directory.Catalog().Grant(who.With(slices.Concat(features, r.Features)...), r)
}

// SessionAs is SessionOf for somebody of whom nothing is known but the role.
func (h *Host) SessionAs(role string, features ...string) session.Session {
	return h.SessionOf(Person{Role: role, Features: features})
}

// LocalUser is the id of the user in sessions that [Host.SessionAs] makes.
const LocalUser = "local"

// Admin reports whether a session is that of a user who administers the host.
func (h *Host) Admin(who session.Session) bool {
	return who.CallerID == "" && h.now.Load().config.Admin(who.UserID)
}
