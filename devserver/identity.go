package devserver

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/session"
)

// Identity is who an author is while trying something out. The zero Identity is an owner with all features.
type Identity struct {
	// Role is the role, and Features what is had besides; patterns such as catalog.* are allowed.
	Role     string
	Features []string
	// User, Project and Agent are their ids; empty for those that hold anyway.
	User, Project, Agent string
}

// IdentityHeader is the header of requests that are made as somebody else than the server was told.
const IdentityHeader = "X-Neuralis-As"

// ParseIdentity reads an identity: a role, such as member, or members as in
//
//	role=member,user=ada,feature=catalog.read,feature=catalog.write
//
// with the names role, feature, user, project and agent, of which only feature may be there more than once.
func ParseIdentity(text string) (Identity, error) {
	var id Identity
	text = strings.TrimSpace(text)
	if text == "" {
		return id, nil
	}
	if !strings.Contains(text, "=") {
		if err := checkWord("role", text); err != nil {
			return id, err
		}
		id.Role = text
		return id, nil
	}
	single := map[string]*string{"role": &id.Role, "user": &id.User, "project": &id.Project, "agent": &id.Agent}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if err := checkWord(name, value); err != nil {
			return Identity{}, err
		}
		switch at := single[name]; {
		case name == "feature":
			id.Features = append(id.Features, value)
		case at == nil:
			return Identity{}, fmt.Errorf("%q is none of role, feature, user, project and agent", name)
		case *at != "":
			return Identity{}, fmt.Errorf("%s is there twice", name)
		default:
			*at = value
		}
	}
	return id, nil
}

// checkWord refuses what no id, role or feature can be.
func checkWord(name, value string) error {
	if value == "" || len(value) > 200 || strings.ContainsAny(value, "\x00\r\n,= ") {
		return fmt.Errorf("%s: %q is not a name", name, value)
	}
	return nil
}

// Session is the session of somebody on a host.
func (id Identity) Session(h *host.Host) session.Session {
	p := host.Person{Role: id.Role, Features: id.Features, User: id.User, Project: id.Project, Agent: id.Agent}
	if _, known := h.Config().User(id.User); id.Role == "" && !known {
		// Whoever tries a package out has it on their own machine.
		p.Role = "owner"
		if len(p.Features) == 0 {
			p.Features = []string{"*"}
		}
	}
	return h.SessionOf(p)
}

// of is the identity of a request: that of its header, else id.
func (id Identity) of(r *http.Request) (Identity, error) {
	values := r.Header.Values(IdentityHeader)
	switch len(values) {
	case 0:
		return id, nil
	case 1:
		return ParseIdentity(values[0])
	}
	return Identity{}, fmt.Errorf("%s is there more than once", IdentityHeader)
}
