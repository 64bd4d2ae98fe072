package jsondoc

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// clip shortens text of foreign length for a message.
func clip(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// string reads a string with its quotes. Text that is not Unicode is reported and replaced.
func (p *parser) string() (string, bool) {
	open := p.pos
	p.pos++
	plain := p.pos // where the text that needs no change began
	var changed []byte
	for {
		if p.pos >= len(p.src) {
			return "", p.fail(open, open+1, "a string is opened and never closed", `add the missing "`)
		}
		switch c := p.src[p.pos]; {
		case c == '"':
			text := p.src[plain:p.pos]
			p.pos++
			if changed == nil {
				return string(text), true
			}
			return string(append(changed, text...)), true
		case c == '\\':
			changed = append(changed, p.src[plain:p.pos]...)
			var ok bool
			if changed, ok = p.escape(changed); !ok {
				return "", false
			}
			plain = p.pos
		case c == '\n' || c == '\r':
			return "", p.fail(open, p.pos, "a string does not end on its line", `add the missing ", or write line breaks as \n`)
		case c < 0x20:
			if !p.report(CodeSyntax, p.pos, p.pos+1, fmt.Sprintf("a string holds the control character U+%04X", c), fmt.Sprintf(`write it as \u%04x, or remove it`, c)) {
				return "", false
			}
			p.pos++
		case c < utf8.RuneSelf:
			p.pos++
		default:
			r, size := utf8.DecodeRune(p.src[p.pos:])
			if r == utf8.RuneError && size == 1 {
				changed = append(changed, p.src[plain:p.pos]...)
				if !p.report(CodeEncoding, p.pos, p.pos+1, fmt.Sprintf("a string holds the byte 0x%02X, which is no UTF-8", c), "save the file as UTF-8") {
					return "", false
				}
				changed = utf8.AppendRune(changed, utf8.RuneError)
				plain = p.pos + 1
			}
			p.pos += size
		}
	}
}

// escape reads one escape sequence, two for a surrogate pair, and appends what it stands for.
func (p *parser) escape(to []byte) ([]byte, bool) {
	start := p.pos
	p.pos++
	if p.pos >= len(p.src) {
		return to, p.fail(start, start+1, "the file ends inside a string", `add the missing "`)
	}
	c, what := p.src[p.pos], p.here()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return append(to, c), true
	case 'b':
		return append(to, '\b'), true
	case 'f':
		return append(to, '\f'), true
	case 'n':
		return append(to, '\n'), true
	case 'r':
		return append(to, '\r'), true
	case 't':
		return append(to, '\t'), true
	case 'u':
		p.pos--
	default:
		return to, p.fail(start, start+1, "a string holds an escape that JSON does not have: a backslash and "+what, `write \\ for a backslash`)
	}
	first, ok := p.hex4()
	if !ok {
		return to, p.fail(start, start+2, `\u is not followed by four hexadecimal digits`, "")
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(to, first), true
	}
	if p.peek() == '\\' && p.pos+1 < len(p.src) && p.src[p.pos+1] == 'u' {
		back := p.pos
		p.pos++
		if second, ok := p.hex4(); ok {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return utf8.AppendRune(to, r), true
			}
		}
		p.pos = back
	}
	ok = p.report(CodeEncoding, start, p.pos, fmt.Sprintf("\\u%04x is half of a surrogate pair", first), `write the character itself, or both halves`)
	return utf8.AppendRune(to, utf8.RuneError), ok
}

// hex4 reads a u and four hexadecimal digits.
func (p *parser) hex4() (rune, bool) {
	if p.pos+5 > len(p.src) {
		return 0, false
	}
	var r rune
	for _, c := range p.src[p.pos+1 : p.pos+5] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	p.pos += 5
	return r, true
}
