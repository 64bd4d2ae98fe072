package sourcemap

import (
	"regexp"
	"strings"
	"unicode/utf16"
)

// The engine notes where calls, throws and writes are, but not where properties are read. For an
// error of a read it tells the last place it has noted before, which may be lines away from what
// failed. But its message names the property, and what failed comes after that place: so the first
// read of such a property from there on is it.

// failedRead are the engine's messages about a read from undefined or null.
var failedRead = regexp.MustCompile(`^cannot read property '(.*)' of (?:undefined|null)$`)

// notObject is its message about taking undefined or null apart.
const notObject = "Cannot convert undefined or null to object"

// reach is how many lines further the read is looked for.
const reach = 60

// refine moves the innermost frame to the read that failed, if that is what happened.
func (m *Map) refine(frames []Frame, thrown Thrown) {
	if m == nil || len(frames) == 0 || frames[0].Line == 0 {
		return
	}
	source := string(m.Content(frames[0].File))
	if source == "" {
		return
	}
	start := offsetOf(source, frames[0].Line, frames[0].Column)
	end := start
	for range reach {
		next := strings.IndexByte(source[end:], '\n')
		if next < 0 {
			end = len(source)
			break
		}
		end += next + 1
	}
	for _, pattern := range readPatterns(thrown) {
		at := pattern.FindStringSubmatchIndex(source[start:end])
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				frames[0].Line, frames[0].Column = placeOf(source, start+at[i])
				return
			}
		}
	}
}

// computedRead is a read of a property whose name is not in the source.
var computedRead = regexp.MustCompile(`[\w)\]](\[)`)

// readPatterns find, each as a group, what failed to be read: the best first.
func readPatterns(thrown Thrown) []*regexp.Regexp {
	if thrown.Name != "TypeError" {
		return nil
	}
	if thrown.Message == notObject {
		return []*regexp.Regexp{regexp.MustCompile(`\b(?:const|let|var)\s+(\{)|\(\s*(\{)[^{}]*\}\s*=[^=>]`)}
	}
	match := failedRead.FindStringSubmatch(thrown.Message)
	if match == nil {
		return nil
	}
	if match[1] == "Symbol.iterator" || match[1] == "Symbol.asyncIterator" {
		return []*regexp.Regexp{regexp.MustCompile(`\bof\s+(\w)|(\.\.\.)|\b(?:const|let|var)\s+(\[)`)}
	}
	name := regexp.QuoteMeta(match[1])
	return []*regexp.Regexp{regexp.MustCompile(`\.\s*(` + name + `)(?:[^\w$]|$)|\[\s*['"` + "`](" + name + `)['"` + "`" + `]\s*\]|\{(?:[^{}]*[^\w$])?(` + name + `)(?:[^\w$(][^{}]*)?\}\s*=[^=>]`), computedRead}
}

// offsetOf is the byte at a line and a column in UTF-16 units, both from 1.
func offsetOf(source string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(source[offset:], '\n')
		if next < 0 {
			return len(source)
		}
		offset += next + 1
	}
	for i, r := range source[offset:] {
		if column <= 1 || r == '\n' {
			return offset + i
		}
		column -= max(utf16.RuneLen(r), 1)
	}
	return len(source)
}

// placeOf is the opposite of offsetOf.
func placeOf(source string, offset int) (line, column int) {
	before := source[:offset]
	line = 1 + strings.Count(before, "\n")
	return line, 1 + len(utf16.Encode([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
}
