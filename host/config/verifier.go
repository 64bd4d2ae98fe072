package config

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
)

// minToken is the shortest token that is taken from the environment. Shorter ones can be guessed.
const minToken = 16

// Verifier knows users by their tokens. It is immutable and safe for concurrent use.
type Verifier struct {
	entries []verifierEntry
}

type verifierEntry struct {
	sum  [sha256.Size]byte
	user string
}

// NewVerifier makes a verifier of the users in a config. Variables are looked up with lookup, as [os.LookupEnv]
// does it. A variable that is missing or too short to be a token is an error, as is a token that two users
// have: a host that started all the same would let in other people than its config says.
func NewVerifier(c *Config, lookup func(name string) (value string, ok bool)) (*Verifier, error) {
	v := &Verifier{}
	owners := map[[sha256.Size]byte]string{}
	add := func(sum [sha256.Size]byte, user string) error {
		if other, ok := owners[sum]; ok && other != user {
			return fmt.Errorf("the users %q and %q have the same token: give each one of their own", other, user)
		}
		owners[sum] = user
		v.entries = append(v.entries, verifierEntry{sum, user})
		return nil
	}
	for _, u := range c.Users {
		for _, text := range u.TokenSHA256 {
			var sum [sha256.Size]byte
			if n, err := hex.Decode(sum[:], []byte(text)); err != nil || n != len(sum) || len(text) != 2*len(sum) {
				return nil, fmt.Errorf("a tokenSha256 of the user %q is no SHA-256", u.ID)
			}
			if err := add(sum, u.ID); err != nil {
				return nil, err
			}
		}
		if u.TokenEnv == "" {
			continue
		}
		token, ok := lookup(u.TokenEnv)
		switch {
		case !ok:
			return nil, fmt.Errorf("the token of the user %q should be in the environment variable %s, which is not set", u.ID, u.TokenEnv)
		case len(token) < minToken:
			return nil, fmt.Errorf("the token of the user %q in the environment variable %s is shorter than %d characters, so it could be guessed", u.ID, u.TokenEnv, minToken)
		}
		if err := add(sha256.Sum256([]byte(token)), u.ID); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// User returns the id of the user with a token. The time that it takes does not depend on how much of the token
// is right.
func (v *Verifier) User(token string) (id string, ok bool) {
	sum := sha256.Sum256([]byte(token))
	for _, e := range v.entries {
		if subtle.ConstantTimeCompare(sum[:], e.sum[:]) == 1 {
			id, ok = e.user, true
		}
	}
	return id, ok
}
