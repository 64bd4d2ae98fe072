package manifest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	// frameContext is how many lines are shown above and below the one that is meant.
	frameContext = 2
	// frameTab is how wide a tab is drawn. Tabs become spaces so that the caret stands under what it means
	// in every terminal.
	frameTab = 4
	// frameWidth is how much of a line is shown, and frameBound how many bytes of it are looked at: bundled
	// files have lines of a megabyte.
	frameWidth = 120
	frameBound = 4096
)

// Frame draws the source around a position as plain text: two lines of context on each side, a mark at the
// line that is meant, and carets below the columns from column up to but not including endColumn.
//
//	  3 |   "neuralis": {
//	> 4 |     "id": "Not A Slug",
//	    |           ^^^^^^^^^^^^
//	  5 |     "name": "Catalog"
//
// Line and column are 1-based, and columns count UTF-16 code units, as in [Diagnostic]. An endColumn that
// is 0 or not after column gives one caret; a column of 0 none. Positions past the end of their line are
// moved to it, and a line that source does not have gives the empty string. Tabs are drawn as spaces, wide
// characters take two carets, long lines are cut around the column, and characters that would act on a
// terminal (escape sequences, bidirectional controls) are drawn as a replacement mark.
func Frame(source []byte, line, column, endColumn int) string {
	first := max(1, line-frameContext)
	lines := frameLines(bytes.TrimPrefix(source, []byte("\uFEFF")), first, line+frameContext)
	if line < 1 || line-first >= len(lines) {
		return ""
	}
	if last := len(lines) - 1; last > line-first && len(lines[last]) == 0 {
		lines = lines[:last] // the file ends with a line feed, or the line is empty: nothing to see
	}
	if len(lines[line-first]) > frameBound {
		lines[line-first], column, endColumn = cutFrameLine(lines[line-first], column, endColumn)
	}
	numberWidth := len(strconv.Itoa(first + len(lines) - 1))

	drawn := make([]frameLine, len(lines))
	for i, text := range lines {
		drawn[i] = drawFrameLine(text)
	}
	meant := drawn[line-first]
	from, to := meant.cellAt(column), 0
	if column > 0 {
		to = max(meant.cellAt(max(endColumn, column+1)), from+1)
	}
	// All lines are cut at the same place, so that the code keeps its shape.
	left := 0
	if from >= frameWidth*3/4 {
		left = from - frameWidth/2
	}

	var out strings.Builder
	for i, l := range drawn {
		mark := "  "
		if first+i == line {
			mark = "> "
		}
		number := strconv.Itoa(first + i)
		text := strings.TrimRight(l.window(left, frameWidth), " ")
		row := mark + strings.Repeat(" ", numberWidth-len(number)) + number + " | " + text
		out.WriteString(strings.TrimRight(row, " "))
		out.WriteByte('\n')
		if first+i == line && column > 0 {
			to = min(to, left+frameWidth)
			out.WriteString(strings.Repeat(" ", 2+numberWidth) + " | ")
			out.WriteString(strings.Repeat(" ", from-left) + strings.Repeat("^", max(1, to-from)))
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// frameLines are the lines from first to last (1-based, inclusive) that source has, without their ends.
// Lines end at \n, \r\n and \r. A text that ends in a line break has an empty last line, as editors show it.
func frameLines(source []byte, first, last int) [][]byte {
	var lines [][]byte
	for number := 1; number <= last; number++ {
		end := bytes.IndexAny(source, "\r\n")
		text := source
		if end >= 0 {
			text = source[:end]
		}
		if number >= first {
			lines = append(lines, text)
		}
		if end < 0 {
			break
		}
		if source[end] == '\r' && end+1 < len(source) && source[end+1] == '\n' {
			end++
		}
		source = source[end+1:]
	}
	return lines
}

// cutFrameLine cuts a long line to the part around a column, and moves the columns with it.
func cutFrameLine(line []byte, column, endColumn int) (part []byte, newColumn, newEnd int) {
	offset, units := 0, 0 // of the column
	for offset < len(line) && units < column-1 {
		r, size := utf8.DecodeRune(line[offset:])
		offset += size
		units += max(1, utf16.RuneLen(r))
	}
	start := max(0, offset-frameBound/2)
	for start > 0 && start < len(line) && !utf8.RuneStart(line[start]) {
		start--
	}
	skipped := units - utf16Len(line[start:offset])
	return line[start:min(len(line), start+frameBound)], max(column-skipped, min(column, 1)), max(endColumn-skipped, 0)
}

// frameLine is a line made of terminal cells.
type frameLine struct {
	// text holds what each cell shows; the second cell of a wide character is empty.
	text []string
	// cells maps the UTF-16 offset in the source line to the cell; it has one entry more than the line has
	// code units.
	cells []int
}

// drawFrameLine lays out as much of a line as any frame could show.
func drawFrameLine(line []byte) frameLine {
	line = line[:min(len(line), frameBound)]
	var l frameLine
	rest, state := line, -1
	for len(rest) > 0 {
		var cluster []byte
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeCluster(rest, state)
		cell := len(l.text)
		switch {
		case cluster[0] == '\t':
			for ok := true; ok; ok = len(l.text)%frameTab != 0 {
				l.text = append(l.text, " ")
			}
		case width > 0 && printable(cluster):
			l.text = append(l.text, string(cluster))
			for range width - 1 {
				l.text = append(l.text, "")
			}
		default:
			l.text = append(l.text, string(utf8.RuneError))
		}
		for range utf16Len(cluster) {
			l.cells = append(l.cells, cell)
		}
	}
	l.cells = append(l.cells, len(l.text))
	return l
}

// printable reports whether text only puts marks on a screen: valid UTF-8 without control and format
// characters, except the joiners that emoji and some scripts are written with.
func printable(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	for _, r := range string(text) {
		joiner := r == '\u200c' || r == '\u200d'
		if !joiner && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return false
		}
	}
	return true
}

// utf16Len is the number of UTF-16 code units of text; each invalid byte counts as one.
func utf16Len(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// cellAt is the cell of a 1-based UTF-16 column, at most the one after the line's last.
func (l frameLine) cellAt(column int) int {
	return l.cells[min(max(column-1, 0), len(l.cells)-1)]
}

// window is what is visible of the line from cell left on, with an ellipsis where something is cut.
func (l frameLine) window(left, width int) string {
	if left >= len(l.text) {
		return ""
	}
	right := min(len(l.text), left+width)
	shown := strings.Join(l.text[left:right], "")
	if left > 0 {
		shown = "…" + strings.Join(l.text[left+1:right], "")
	}
	if right < len(l.text) {
		shown = strings.Join(l.text[left:right-1], "") + "…"
		if left > 0 && right-1 > left {
			shown = "…" + strings.Join(l.text[left+1:right-1], "") + "…"
		}
	}
	return shown
}
