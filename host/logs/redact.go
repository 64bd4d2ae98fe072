package logs

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Mask is what stands in the place of a secret.
const Mask = "[secret]"

const (
	// shortestSecret keeps words that occur everywhere from being masked everywhere.
	shortestSecret = 6
	// mostSecrets bounds how many values are remembered.
	mostSecrets = 10_000
)

// Redactor knows values that must not be in a log. It may be used by many goroutines at once. The nil Redactor
// knows none.
type Redactor struct {
	mu     sync.RWMutex
	known  map[string]bool
	sorted []string // the longest first, so that one that holds another is masked whole
}

// Add makes a value be masked from now on, and so is each of its lines, as in a private key. Values of fewer
// than six characters are not masked.
func (r *Redactor) Add(value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, text := range append(strings.Split(value, "\n"), value) {
		text = strings.TrimSpace(text)
		if len(text) < shortestSecret || len(r.known) >= mostSecrets {
			continue
		}
		for _, form := range []string{text, inJSON(text)} {
			if !r.known[form] {
				if r.known == nil {
					r.known = map[string]bool{}
				}
				r.known[form] = true
				i, _ := slices.BinarySearchFunc(r.sorted, form, func(a, b string) int { return len(b) - len(a) })
				// The slice is not changed in place: readers may have it.
				r.sorted = slices.Insert(slices.Clip(r.sorted), i, form)
			}
		}
	}
}

// inJSON is what a text looks like inside of a JSON string.
func inJSON(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string can always be written
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(b.String()), `"`), `"`)
}

// Redact returns the text with every known value masked.
func (r *Redactor) Redact(text string) string {
	if r == nil {
		return text
	}
	r.mu.RLock()
	known := r.sorted
	r.mu.RUnlock()
	for _, secret := range known {
		if strings.Contains(text, secret) {
			text = strings.ReplaceAll(text, secret, Mask)
		}
	}
	return text
}

// secretNames are what the names of members that hold secrets end in, without case and punctuation.
var secretNames = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "privatekey", "accesskey", "authorization", "cookie", "credential", "credentials", "bearer",
}

func isSecretName(name string) bool {
	name = strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z':
			return r
		}
		return -1
	}, name)
	return slices.ContainsFunc(secretNames, func(secret string) bool { return strings.HasSuffix(name, secret) })
}

// redactFields masks secrets in a JSON value: members with the names of secrets, and known values in all
// strings and names.
func (r *Redactor) redactFields(value any) any {
	switch v := value.(type) {
	case string:
		return r.Redact(v)
	case json.Number:
		if masked := r.Redact(v.String()); masked != v.String() {
			return masked
		}
	case []any:
		for i := range v {
			v[i] = r.redactFields(v[i])
		}
	case map[string]any:
		masked := make(map[string]any, len(v))
		for name, member := range v {
			if isSecretName(name) && !plain(member) {
				member = Mask
			} else {
				member = r.redactFields(member)
			}
			masked[r.Redact(name)] = member
		}
		return masked
	}
	return value
}

// plain reports whether a value is none that could be a secret.
func plain(value any) bool {
	switch v := value.(type) {
	case nil, bool:
		return true
	case string:
		return v == ""
	}
	return false
}
