package credentials

import (
	"slices"

	"github.com/neuralis-dev/neuralis/host/session"
	"github.com/neuralis-dev/neuralis/manifest"
)

// Resolver gives one package its credentials.
type Resolver struct {
	store    *Store
	key      string
	declared []manifest.Credential
}

// For returns the resolver of a package: its key (the id, or user/owner/id for one that is not the project's)
// and the credentials that its manifest declares.
func (s *Store) For(packageKey string, declared []manifest.Credential) *Resolver {
	return &Resolver{store: s, key: packageKey, declared: declared}
}

// Resolve returns the value of a credential for a session. There is none, and no error, if the package does not
// declare it, if nobody entered one that the package may have, or if the nearest one cannot be read; the last is told to
// the operator.
func (r *Resolver) Resolve(who session.Session, id string) (Secret, bool) {
	i := slices.IndexFunc(r.declared, func(c manifest.Credential) bool { return c.ID == id })
	if i < 0 {
		return Secret{}, false
	}
	allowed := r.declared[i].Scopes
	owners := map[Scope]string{ScopeAgent: who.AgentID, ScopeProject: who.ProjectID, ScopeUser: who.UserID}
	for _, scope := range Scopes() {
		ref := Ref{Scope: scope, Owner: owners[scope], ID: id}
		if len(allowed) > 0 && !slices.Contains(allowed, string(scope)) || scope != ScopeGlobal && ref.Owner == "" {
			continue
		}
		c, err := r.store.read(ref)
		if err != nil {
			if r.store.options.OnFault != nil {
				r.store.options.OnFault(ref, err)
			}
			return Secret{}, false
		}
		if c == nil || len(c.Packages) > 0 && !slices.Contains(c.Packages, r.key) {
			continue
		}
		value := NewSecret(c.Value)
		if r.store.options.Revealed != nil {
			r.store.options.Revealed(value)
		}
		return value, true
	}
	return Secret{}, false
}

// ResolveForKind is reserved: no kind has credentials yet, so the answer is an empty map.
func (*Resolver) ResolveForKind(string) map[string]string { return map[string]string{} }
