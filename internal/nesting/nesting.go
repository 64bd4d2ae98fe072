// Package nesting guesses how deeply a text of JavaScript, TypeScript or JSON is nested, before a parser is given it.
//
// Parsers call themselves for what is nested, and a stack that overflows ends a Go program without a word. The guess is made
// from the words and signs of the text in one quick pass; it can be wrong about texts that nobody writes, and never takes
// long.
package nesting

import "bytes"

// Beyond is the offset at which a text is nested more deeply than the limits, and the limit that it is beyond;
// the offset is -1 when there is none. In code, chains count besides brackets and operators.
func Beyond(source []byte, nesting, chain int, code bool) (at, limit int) {
	s := nestingScanner{source: source, code: code, prev: prevOpening}
	s.levels = append(s.levels, nestingLevel{})
	for b := range s.words {
		s.words[b] = wordByte(byte(b))
	}
	for s.at = 0; s.at < len(source); s.at++ {
		s.next()
		if len(s.levels)-1 > nesting || s.waiting > nesting {
			return s.at, nesting
		}
		if code && s.chain > chain {
			return s.at, chain
		}
	}
	return -1, 0
}

// nestingLevel is what is known of an open bracket.
type nestingLevel struct {
	bracket byte
	list    bool // a comma ends an element, and is no operator
	control bool // the parentheses of if, for, while and with: the statement goes on behind them
	declare bool // var, let or const: commas begin a new declaration
	chain   int  // words, signs and brackets since the last end of a statement or element
}

// What stood before the present place.
type nestingPrev uint8

const (
	prevOpening  nestingPrev = iota // the beginning, an opening bracket, a comma, a semicolon
	prevOperator                    // a sign or a word that wants an operand
	prevControl                     // if, for, while, with
	prevOperand                     // a name or a value
	prevClosed                      // a closing bracket
	prevHeader                      // the closing parenthesis behind if, for, while, with
	prevBrace                       // }
)

// nestingScanner goes through a text once. It knows words, strings, templates, comments and, by what is before them,
// regular expressions; for all else it is a guess.
type nestingScanner struct {
	source  []byte
	at      int
	code    bool
	words   [256]bool // the bytes of words
	levels  []nestingLevel
	chain   int // the sum of those of all levels
	waiting int // operators that wait for their operand
	prev    nestingPrev
	ended   bool // a semicolon was the last token
	newline bool // there was a line end since the last token
}

func (s *nestingScanner) top() *nestingLevel { return &s.levels[len(s.levels)-1] }

func (s *nestingScanner) reset() {
	s.chain -= s.top().chain
	s.top().chain = 0
}

// token counts one, and finds out whether it begins a statement.
func (s *nestingScanner) token(kind wordKind) {
	switch {
	case s.ended:
		// An else belongs to what is before the semicolon.
		if kind != wordElse {
			s.reset()
			s.top().declare = false
		}
	case kind == wordSign || kind == wordElse || kind == wordContinues || kind == wordInfix:
	case s.prev == prevBrace, s.newline && (s.prev == prevOperand || s.prev == prevClosed):
		s.reset()
		s.waiting = 0
	}
	s.ended, s.newline = false, false
	s.top().chain++
	s.chain++
}

// wordKind is what a word does to what is around it.
type wordKind uint8

const (
	wordPlain     wordKind = iota // a name
	wordSign                      // no word: it does not begin a statement
	wordElse                      // goes on with what is before it, even behind a semicolon
	wordContinues                 // goes on with what is before it, wherever that ends
	wordInfix                     // that, and wants something behind it
	wordPrefix                    // is an operator in front of its operand
	wordLeading                   // wants something behind it
	wordControl                   // has a header in parentheses, with a statement behind
	wordDeclares
)

var wordKinds = map[string]wordKind{
	"else":  wordElse,
	"catch": wordContinues, "implements": wordContinues, "from": wordContinues, "is": wordContinues,
	"in": wordInfix, "instanceof": wordInfix, "as": wordInfix, "satisfies": wordInfix, "of": wordInfix, "extends": wordInfix, "finally": wordInfix,
	"typeof": wordPrefix, "void": wordPrefix, "delete": wordPrefix, "await": wordPrefix, "yield": wordPrefix, "new": wordPrefix,
	"return": wordLeading, "throw": wordLeading, "case": wordLeading, "do": wordLeading, "keyof": wordLeading, "default": wordLeading, "try": wordLeading,
	"if": wordControl, "for": wordControl, "while": wordControl, "with": wordControl,
	"var": wordDeclares, "let": wordDeclares, "const": wordDeclares,
}

// longestWord is the length of the longest of them.
const longestWord = len("instanceof")

func (s *nestingScanner) next() {
	switch b := s.source[s.at]; b {
	case ' ', '\t':
	case '\r', '\n':
		s.newline = true
	case '\'', '"':
		s.operand(wordPlain)
		s.at = stringEnd(s.source, s.at)
	case '`':
		s.operand(wordSign)
		s.push('`', false, false)
		s.template()
	case '/':
		if end := commentEnd(s.source, s.at); end != s.at {
			s.newline = s.newline || s.source[s.at+1] == '/'
			s.at = end
		} else if end := s.regexEnd(); end > 0 {
			s.operand(wordSign)
			s.at = end
		} else {
			s.token(wordSign)
			s.prev = prevOperator
		}
	case '(', '[', '{':
		s.open(b)
	case ')', ']', '}':
		s.close(b)
	case ';':
		s.ended, s.waiting, s.prev = true, 0, prevOpening
	case ',':
		s.waiting = 0
		if s.top().list || s.top().declare {
			s.token(wordSign)
			s.reset()
		} else {
			s.token(wordSign)
		}
		s.prev = prevOpening
	case '!', '~', '?', '=':
		s.token(wordSign)
		s.waiting++
		s.prev = prevOperator
	case '+', '-', '*':
		s.token(wordSign)
		if s.prev <= prevControl {
			s.waiting++
		}
		s.prev = prevOperator
	case '@', '#':
		s.token(wordPlain) // of a decorator or a name: a statement or member may begin here
		s.prev = prevOperator
	default:
		if s.words[b] {
			s.word()
			return
		}
		s.token(wordSign)
		s.prev = prevOperator
	}
}

func (s *nestingScanner) operand(kind wordKind) {
	s.token(kind)
	s.prev = prevOperand
}

func (s *nestingScanner) word() {
	start, end := s.at, s.at+1
	for end < len(s.source) && s.words[s.source[end]] {
		end++
	}
	s.at = end - 1
	kind := wordPlain
	if n := end - start; n > 1 && n <= longestWord && s.source[start] >= 'a' {
		kind = wordKinds[string(s.source[start:end])]
	}
	if start > 0 && s.source[start-1] == '.' {
		kind = wordSign // the name of a member
	}
	s.operand(kind)
	switch kind {
	case wordPrefix:
		s.waiting++
		s.prev = prevOperator
	case wordElse, wordInfix, wordLeading:
		s.prev = prevOperator
	case wordControl:
		s.prev = prevControl
	case wordDeclares:
		s.top().declare = true
	}
}

func (s *nestingScanner) push(bracket byte, list, control bool) {
	s.levels = append(s.levels, nestingLevel{bracket: bracket, list: list, control: control})
}

func (s *nestingScanner) pop() nestingLevel {
	s.reset()
	top := *s.top()
	if len(s.levels) > 1 {
		s.levels = s.levels[:len(s.levels)-1]
	}
	return top
}

func (s *nestingScanner) open(bracket byte) {
	before, ended := s.prev, s.ended
	s.token(wordSign)
	list := true
	switch bracket {
	case '(':
		list = before == prevOperand || before == prevClosed
	case '{':
		list = before != prevOpening && before != prevClosed && before != prevHeader && before != prevBrace && !ended && !s.behindArrow() || !s.code
		if top := s.top(); before == prevOpening && (top.list || top.bracket == '(') {
			list = true // an object in a list
		}
	}
	s.push(bracket, list, before == prevControl)
	s.prev = prevOpening
}

// behindArrow reports whether => is before the present place.
func (s *nestingScanner) behindArrow() bool {
	return bytes.HasSuffix(bytes.TrimRight(s.source[max(0, s.at-20):s.at], " \t\r\n"), []byte("=>"))
}

func (s *nestingScanner) close(bracket byte) {
	was := s.pop()
	s.waiting, s.ended = 0, false
	switch {
	case bracket == '}' && s.top().bracket == '`':
		s.template() // the expression in a template is over, and its text goes on
	case bracket == '}':
		s.prev = prevBrace
	case was.control:
		s.prev = prevHeader
	default:
		s.prev = prevClosed
	}
}

// template goes through the text of a template literal, to its end or to an expression in it.
func (s *nestingScanner) template() {
	for s.at++; s.at < len(s.source); s.at++ {
		switch s.source[s.at] {
		case '\\':
			s.at++
		case '`':
			s.pop()
			s.prev = prevClosed
			return
		case '$':
			if s.at+1 < len(s.source) && s.source[s.at+1] == '{' {
				s.at++
				s.push('{', true, false)
				s.prev = prevOpening
				return
			}
		}
	}
}

// regexEnd is where a regular expression that begins here ends; 0 when none does.
func (s *nestingScanner) regexEnd() int {
	if s.prev > prevOperator && s.prev != prevHeader {
		return 0
	}
	class := false
	for i := s.at + 1; i < len(s.source); i++ {
		switch s.source[i] {
		case '\n':
			return 0
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i
			}
		}
	}
	return 0
}

// stringEnd is where a string that begins at i ends, at the latest at the end of the line.
func stringEnd(source []byte, i int) int {
	quote := source[i]
	for i++; i < len(source) && source[i] != quote && source[i] != '\n'; i++ {
		if source[i] == '\\' {
			i++
		}
	}
	return min(i, len(source)-1)
}

// commentEnd is where a comment that begins at i ends, and i where none does.
func commentEnd(source []byte, i int) int {
	rest := source[i:]
	end := -1
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n')
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return i
	}
	if end < 0 {
		return len(source) - 1
	}
	return i + end
}

// wordByte tells the bytes that names, keywords and numbers are made of, those beyond ASCII included.
func wordByte(b byte) bool {
	return b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
