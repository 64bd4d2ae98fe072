package credentials

import (
	"fmt"
	"io"
	"log/slog"
)

// mask is what a secret prints as.
const mask = "[secret]"

// Secret is a value that must not be seen. However it is printed, logged or made JSON, what comes out is a mask; only
// Reveal returns the value. The zero Secret is empty.
type Secret struct {
	// A pointer, as package fmt asks no methods of what is in an unexported member of somebody's struct.
	value *string
}

// NewSecret makes a secret of a value.
func NewSecret(value string) Secret { return Secret{&value} }

// Reveal returns the value.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// String returns a mask.
func (Secret) String() string { return mask }

// Format writes a mask, whatever the verb is.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText returns a mask, which is also what encoding/json writes.
func (Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue returns a mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(mask) }
