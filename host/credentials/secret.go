package credentials

import "log/slog"

// mask is what a secret prints as.
const mask = "[secret]"

// Secret is a value that must not be seen. However it is printed, logged or made JSON, what comes out is a mask; only
// Reveal returns the value.
type Secret struct{ value string }

// NewSecret makes a secret of a value.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the value.
func (s Secret) Reveal() string { return s.value }

// String returns a mask.
func (Secret) String() string { return mask }

// GoString returns a mask.
func (Secret) GoString() string { return mask }

// MarshalText returns a mask, which is also what encoding/json writes.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue returns a mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(mask) }
