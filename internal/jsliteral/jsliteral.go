// Package jsliteral writes Go strings as JavaScript and TypeScript source, for the
// generators that put file names and schema texts into code. What it writes is one
// literal and nothing else, whatever the string holds.
package jsliteral

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// String returns s as a single-quoted string literal. Quotes, backslashes, line ends
// (U+2028 and U+2029 too) and control characters are escaped; bytes that are no UTF-8
// become U+FFFD, since source text cannot hold them.
func String(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0xfeff:
			fmt.Fprintf(&b, `\u%04x`, r)
		case r == utf8.RuneError:
			b.WriteString(`\ufffd`)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// IsIdentifier says whether s can stand as a property name without quotes. It knows
// ASCII only; a name in another script is legal JavaScript too, but quoting it is as good.
func IsIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '_', r == '$':
		case i > 0 && r >= '0' && r <= '9':
		default:
			return false
		}
	}
	return s != ""
}

// Property returns s as a property name: itself where it is an identifier, else a
// string literal. The name __proto__ is always quoted; where it is the key of an object
// literal rather than of a type, a caller must compute it.
func Property(s string) string {
	if IsIdentifier(s) && s != "__proto__" {
		return s
	}
	return String(s)
}
