package toolschema

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Patterns in schemas are regular expressions of ECMAScript. Most of them say the same in the syntax of package regexp
// when a few things are spelt out, and then they match in time that grows with the text. Those that look around or
// back need a matcher that tries possibilities, and has to be stopped when there are too many.

// maxPatternTime is how long such a matcher may try, for one text, and maxBacktracking how long an expression for it may
// be, in bytes.
const (
	maxPatternTime  = 100 * time.Millisecond
	maxBacktracking = 4096
)

// errBacktracking says that an expression needs that other matcher.
var errBacktracking = errors.New("the expression looks around or back")

// compilePattern compiles an expression of ECMAScript, read as with the flag u.
func compilePattern(source string) (jsonschema.Regexp, error) {
	translated, err := translate(source)
	if err == nil {
		re, linear := regexp.Compile(translated)
		if linear == nil {
			return linearPattern{re, source}, nil
		}
		err = errBacktracking // a repetition that package regexp finds too large, say
	}
	if !errors.Is(err, errBacktracking) {
		return nil, err
	}
	if len(source) > maxBacktracking {
		return nil, fmt.Errorf("an expression that looks around or back may have %d bytes at most", maxBacktracking)
	}
	re, err := regexp2.Compile(source, regexp2.ECMAScript|regexp2.Unicode)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = maxPatternTime
	return backtrackingPattern{re, source}, nil
}

type linearPattern struct {
	*regexp.Regexp
	source string
}

func (p linearPattern) String() string { return p.source }

type backtrackingPattern struct {
	re     *regexp2.Regexp
	source string
}

func (p backtrackingPattern) String() string { return p.source }

func (p backtrackingPattern) MatchString(text string) bool {
	ok, err := p.re.MatchString(text)
	if err != nil {
		panic(tooLong{})
	}
	return ok
}

// ECMAScript's classes, as what is between brackets (ECMA-262, CharacterClassEscape).
const (
	digits      = `0-9`
	notDigits   = `\x{0}-\x{2f}\x{3a}-\x{10ffff}`
	words       = `0-9A-Za-z_`
	notWords    = `\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}`
	spaces      = `\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	notSpaces   = `\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
	anyButLines = `[^\n\r\x{2028}\x{2029}]`
	anything    = `[\x{0}-\x{10ffff}]`
	nothing     = `[^\x{0}-\x{10ffff}]`
)

// translator rewrites an expression from left to right.
type translator struct {
	rest string
	out  strings.Builder
}

// translate rewrites an expression of ECMAScript for package regexp.
func translate(source string) (string, error) {
	if !utf8.ValidString(source) {
		return "", errors.New("the expression is not UTF-8 text")
	}
	t := translator{rest: source}
	for t.rest != "" {
		if err := t.next(); err != nil {
			return "", fmt.Errorf("%w, in %q", err, clip(source))
		}
	}
	return t.out.String(), nil
}

func (t *translator) take() rune {
	r, size := utf8.DecodeRuneInString(t.rest)
	t.rest = t.rest[size:]
	return r
}

func (t *translator) next() error {
	switch r := t.take(); r {
	case '.':
		t.out.WriteString(anyButLines)
	case '(':
		return t.group()
	case '[':
		return t.class()
	case '\\':
		return t.escape()
	case ')', '|', '*', '+', '?', '^', '$':
		t.out.WriteRune(r)
	case '{':
		count := counted.FindString(t.rest)
		t.rest = t.rest[len(count):]
		if count == "" {
			t.out.WriteByte('\\')
		}
		t.out.WriteString("{" + count)
	default:
		t.out.WriteString(regexp.QuoteMeta(string(r)))
	}
	return nil
}

// counted matches what follows the brace of a quantifier.
var counted = regexp.MustCompile(`^[0-9]+(?:,[0-9]*)?\}`)

// group is behind an opening parenthesis. What groups capture matters to nobody here.
func (t *translator) group() error {
	named := strings.HasPrefix(t.rest, "?<") && !strings.HasPrefix(t.rest, "?<=") && !strings.HasPrefix(t.rest, "?<!")
	switch {
	case strings.HasPrefix(t.rest, "?:"):
		t.rest = t.rest[2:]
	case named:
		end := strings.IndexByte(t.rest, '>')
		if end < 0 {
			return errors.New("the name of a group does not end")
		}
		t.rest = t.rest[end+1:]
	case strings.HasPrefix(t.rest, "?"):
		return errBacktracking
	}
	t.out.WriteString("(?:")
	return nil
}

// escape is behind a backslash outside of brackets.
func (t *translator) escape() error {
	if t.rest == "" {
		return errors.New("the expression ends in a backslash")
	}
	switch c := t.rest[0]; c {
	case 'b', 'B':
		t.rest = t.rest[1:]
		t.out.WriteString(`\` + string(c))
		return nil
	case 'k', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return errBacktracking
	}
	set, r, err := t.atom()
	switch {
	case err != nil:
		return err
	case set != "":
		t.out.WriteString("[" + set + "]")
	default:
		t.out.WriteString(point(r))
	}
	return nil
}

// class is behind an opening bracket.
func (t *translator) class() error {
	negated := strings.HasPrefix(t.rest, "^")
	if negated {
		t.rest = t.rest[1:]
	}
	if strings.HasPrefix(t.rest, "]") {
		t.rest = t.rest[1:]
		t.out.WriteString(map[bool]string{false: nothing, true: anything}[negated])
		return nil
	}
	t.out.WriteByte('[')
	if negated {
		t.out.WriteByte('^')
	}
	for {
		if t.rest == "" {
			return errors.New("a bracket is not closed")
		}
		if t.rest[0] == ']' {
			t.rest = t.rest[1:]
			t.out.WriteByte(']')
			return nil
		}
		set, from, err := t.classAtom()
		if err != nil {
			return err
		}
		if set != "" {
			t.out.WriteString(set)
			continue
		}
		t.out.WriteString(point(from))
		if len(t.rest) < 2 || t.rest[0] != '-' || t.rest[1] == ']' {
			continue
		}
		t.rest = t.rest[1:]
		set, to, err := t.classAtom()
		switch {
		case err != nil:
			return err
		case set != "":
			t.out.WriteString(`\-` + set) // no range: the hyphen stands for itself
		case to < from:
			return fmt.Errorf("the range from %q to %q is the wrong way round", from, to)
		default:
			t.out.WriteString("-" + point(to))
		}
	}
}

// classAtom is one character or one set within brackets.
func (t *translator) classAtom() (set string, r rune, err error) {
	if r = t.take(); r != '\\' {
		return "", r, nil
	}
	switch {
	case strings.HasPrefix(t.rest, "b"):
		t.rest = t.rest[1:]
		return "", '\b', nil
	case strings.HasPrefix(t.rest, "-"):
		t.rest = t.rest[1:]
		return "", '-', nil
	}
	return t.atom()
}

var controls = map[rune]rune{'t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r'}

// atom is what a backslash makes of what follows it: a set of characters, or one.
func (t *translator) atom() (set string, r rune, err error) {
	if t.rest == "" {
		return "", 0, errors.New("the expression ends in a backslash")
	}
	switch r = t.take(); r {
	case 'd':
		return digits, 0, nil
	case 'D':
		return notDigits, 0, nil
	case 'w':
		return words, 0, nil
	case 'W':
		return notWords, 0, nil
	case 's':
		return spaces, 0, nil
	case 'S':
		return notSpaces, 0, nil
	case 'p', 'P':
		set, err = t.property(r == 'P')
		return set, 0, err
	case 't', 'n', 'v', 'f', 'r':
		return "", controls[r], nil
	case '0':
		return "", 0, nil
	case 'c':
		if t.rest == "" || !isLetter(rune(t.rest[0])) {
			return "", 0, errors.New(`\c is not followed by a letter`)
		}
		return "", t.take() % 32, nil
	case 'x':
		r, err = t.hex(2)
		return "", r, err
	case 'u':
		r, err = t.unicode()
		return "", r, err
	}
	if isLetter(r) || r >= '0' && r <= '9' || r == '_' {
		return "", 0, fmt.Errorf(`\%c is no escape of ECMAScript`, r)
	}
	return "", r, nil
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// hex reads so many hexadecimal digits.
func (t *translator) hex(n int) (rune, error) {
	if len(t.rest) < n {
		return 0, errors.New("an escape ends too early")
	}
	value, err := strconv.ParseUint(t.rest[:n], 16, 32)
	if err != nil {
		return 0, fmt.Errorf("%q are no hexadecimal digits", t.rest[:n])
	}
	t.rest = t.rest[n:]
	return rune(value), nil
}

// unicode reads what follows \u: four digits, two times four of them for a surrogate pair, or any number in braces.
func (t *translator) unicode() (rune, error) {
	if strings.HasPrefix(t.rest, "{") {
		end := strings.IndexByte(t.rest, '}')
		if end < 0 {
			return 0, errors.New(`\u{ is not closed`)
		}
		value, err := strconv.ParseUint(t.rest[1:end], 16, 32)
		if err != nil || value > utf8.MaxRune {
			return 0, fmt.Errorf("%q is no character", t.rest[1:end])
		}
		t.rest = t.rest[end+1:]
		return rune(value), nil
	}
	r, err := t.hex(4)
	if err == nil && r >= 0xd800 && r < 0xdc00 && strings.HasPrefix(t.rest, `\u`) {
		rest := t.rest
		t.rest = t.rest[2:]
		if low, err := t.hex(4); err == nil && low >= 0xdc00 && low < 0xe000 {
			return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), nil
		}
		t.rest = rest
	}
	return r, err
}

// Long names of general categories (ECMA-262, table of non-binary Unicode properties), as far as people write them.
var categories = map[string]string{
	"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl",
	"Punctuation": "P", "punct": "P", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Separator": "Z", "Space_Separator": "Zs",
	"Control": "Cc", "Format": "Cf", "Other": "C",
}

// property reads what follows \p: {L}, {Letter}, {gc=L} or {Script=Greek}.
func (t *translator) property(negated bool) (string, error) {
	end := strings.IndexByte(t.rest, '}')
	if !strings.HasPrefix(t.rest, "{") || end < 0 {
		return "", errors.New(`\p is not followed by a property in braces`)
	}
	name := t.rest[1:end]
	t.rest = t.rest[end+1:]
	property, value, found := strings.Cut(name, "=")
	if found {
		name = value
	}
	script := property == "Script" || property == "sc"
	switch short, long := categories[name]; {
	case found && !script && property != "General_Category" && property != "gc":
		return "", fmt.Errorf("the property %q is not supported", property)
	case long && !script:
		name = short
	case !found && name == "Any" && !negated:
		return `\x{0}-\x{10ffff}`, nil
	case !found && name == "ASCII":
		return map[bool]string{false: `\x{0}-\x{7f}`, true: `\x{80}-\x{10ffff}`}[negated], nil
	case !script && len(name) > 2:
		return "", fmt.Errorf("the property %q is not supported", name)
	}
	letter := map[bool]string{false: "p", true: "P"}[negated]
	set := `\` + letter + "{" + name + "}"
	if _, err := regexp.Compile("[" + set + "]"); err != nil {
		return "", fmt.Errorf("the property %q is not supported", name)
	}
	return set, nil
}

// point is one character, written so that it means nothing else.
func point(r rune) string {
	if r >= 0xd800 && r < 0xe000 {
		// Half of a surrogate pair, which is in no text. This one is in none either.
		return `\x{10ffff}`
	}
	if isLetter(r) || r >= '0' && r <= '9' {
		return string(r)
	}
	return fmt.Sprintf(`\x{%x}`, r)
}
