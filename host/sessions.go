package host

import (
	"github.com/neuralis-dev/neuralis/host/config"
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

// SessionAs returns the session of somebody with a role who is no user of the config: of an author who tries a package
// out. features are had besides those of the role; patterns such as catalog.* and * are allowed.
func (h *Host) SessionAs(role string, features ...string) session.Session {
	m := h.now.Load()
	r, ok := m.config.Roles[role]
	if !ok {
		r = config.Role{}
	}
	who := session.Session{UserID: LocalUser, ProjectID: m.config.ProjectID, Role: role}
	return m.directory.Catalog().Grant(who.With(append(features, r.Features...)...), r)
}

// LocalUser is the id of the user in sessions that [Host.SessionAs] makes.
const LocalUser = "local"

// Admin reports whether a session is that of a user who administers the host.
func (h *Host) Admin(who session.Session) bool {
	return who.CallerID == "" && h.now.Load().config.Admin(who.UserID)
}
