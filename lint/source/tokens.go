package source

import (
	"bytes"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// token is a word of the code.
type token struct {
	text  string
	start int
}

// tokens are the words and operators of code, without space and comments. Whether a slash begins a regular expression only
// a parser knows: expressions are those that it found.
func tokens(code []byte, expressions map[string][]string) []token {
	lexer := js.NewLexer(parse.NewInputBytes(append(make([]byte, 0, len(code)+1), code...)))
	var found []token
	at, value := 0, false
	for {
		kind, data := lexer.Next()
		if (kind == js.DivToken || kind == js.DivEqToken) && !value && begins(code[at:], expressions) {
			kind, data = lexer.RegExp()
		}
		switch kind {
		case js.ErrorToken:
			if len(data) == 0 {
				return found
			}
		case js.WhitespaceToken, js.LineTerminatorToken, js.CommentToken, js.CommentLineTerminatorToken:
		default:
			found = append(found, token{string(data), at})
			// Behind a name or a number a slash divides.
			value = kind == js.IdentifierToken || js.IsNumeric(kind)
		}
		at += len(data)
	}
}

// beginning is what regular expressions are looked up by.
func beginning(text string) string { return text[:min(len(text), 6)] }

// begins reports whether code begins with one of the regular expressions.
func begins(code []byte, expressions map[string][]string) bool {
	for length := 3; length <= 6 && length <= len(code); length++ { // the shortest one is /a/
		for _, expression := range expressions[string(code[:length])] {
			if bytes.HasPrefix(code, []byte(expression)) {
				return true
			}
		}
	}
	return false
}

// cursor walks the tokens in step with the tree.
type cursor struct {
	tokens []token
	at     int
}

// window is how many tokens are looked at for one that must be near.
const window = 400

// take moves behind the next token of that text and returns where it stands, or -1.
func (c *cursor) take(text string) int {
	for i := c.at; i < len(c.tokens) && i < c.at+window; i++ {
		if c.tokens[i].text == text {
			c.at = i + 1
			return c.tokens[i].start
		}
	}
	return -1
}

// sync moves behind the token at an offset that is known.
func (c *cursor) sync(offset int) {
	for i := c.at; i < len(c.tokens); i++ {
		if c.tokens[i].start == offset {
			c.at = i + 1
			return
		}
		if c.tokens[i].start > offset {
			return
		}
	}
}

// next is the text of the token that comes next, and where it stands.
func (c *cursor) next() (string, int) {
	if c.at < len(c.tokens) {
		return c.tokens[c.at].text, c.tokens[c.at].start
	}
	return "", -1
}
