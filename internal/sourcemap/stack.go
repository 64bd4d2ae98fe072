package sourcemap

import (
	"strconv"
	"strings"
)

// Frame is one line of a stack.
type Frame struct {
	// Function is the name in front of the place; "<anonymous>" and "<eval>" are the engine's.
	Function string
	// File is a file name, or "native", or empty when the line was not understood.
	File string
	// Line and Column are 1-based; 0 is unknown.
	Line, Column int
	// Text is the line as it was, without the space around it.
	Text string
}

// What says nothing to an author: the text that JSON.parse reads is a file to the engine, and all
// calls of the host go through one function (see build/guest/src/native.ts).
const (
	parsedText = "<input>"
	nativeDoor = "__neuralis_native"
)

// native is how the engine writes that a function is its own.
const native = "native"

// ParseStack reads a stack as QuickJS writes it:
//
//	at fn (bundle.js:12:34)
//	at map (native)
//	at <input>:1:1
//
// Lines of another form, such as the message other engines put first, become frames with
// nothing but Text. Function names may hold any character, parentheses too.
func ParseStack(stack string) []Frame {
	var frames []Frame
	for _, line := range strings.Split(stack, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			frames = append(frames, parseFrame(line))
		}
	}
	return frames
}

func parseFrame(line string) Frame {
	frame := Frame{Text: line}
	rest, ok := strings.CutPrefix(line, "at ")
	if !ok {
		return frame
	}
	inside, closed := strings.CutSuffix(rest, ")")
	if !closed {
		if file, line, column, ok := parsePlace(rest); ok {
			frame.File, frame.Line, frame.Column = file, line, column
		}
		return frame
	}
	// The name comes first, and the file name rarely has " (" in it: cut at the last.
	open := strings.LastIndex(inside, " (")
	if open < 0 {
		return frame
	}
	place := inside[open+len(" ("):]
	switch file, line, column, ok := parsePlace(place); {
	case place == native:
		frame.File = native
	case ok:
		frame.File, frame.Line, frame.Column = file, line, column
	default:
		return frame
	}
	frame.Function = inside[:open]
	return frame
}

// parsePlace reads file:line:column; a file name may hold colons.
func parsePlace(text string) (file string, line, column int, ok bool) {
	rest, last, found := cutLastNumber(text)
	if !found {
		return "", 0, 0, false
	}
	file, line, found = cutLastNumber(rest)
	if !found { // only a line
		return rest, last, 0, rest != ""
	}
	return file, line, last, file != ""
}

func cutLastNumber(text string) (before string, number int, ok bool) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return text, 0, false
	}
	number, err := strconv.Atoi(text[colon+1:])
	if err != nil || number < 0 {
		return text, 0, false
	}
	return text[:colon], number, true
}

// String is the frame as a line of a stack, without indentation.
func (f Frame) String() string {
	if f.File == "" {
		return f.Text
	}
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
		if f.Column > 0 {
			place += ":" + strconv.Itoa(f.Column)
		}
	}
	if f.Function == "" {
		return "at " + place
	}
	return "at " + f.Function + " (" + place + ")"
}

// Format writes frames as a stack, each on a line of its own, indented as engines do.
func Format(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString("    " + f.String() + "\n")
	}
	return b.String()
}

// Stack reads a stack of the bundle and leads every frame back to the author's files. Frames of
// the sandbox's own library and of code the bundler added are left out, unless there are
// no others.
func (m *Map) Stack(bundle, stack string) []Frame {
	raw := ParseStack(stack)
	all := make([]Frame, 0, len(raw))
	var kept []Frame
	for _, frame := range raw {
		mapped, ours := m.frame(bundle, frame)
		all = append(all, mapped)
		if !ours {
			kept = append(kept, mapped)
		}
	}
	if kept = trimNative(kept); len(kept) > 0 {
		return kept
	}
	return all
}

// Rewrite is Stack as text.
func (m *Map) Rewrite(bundle, stack string) string { return Format(m.Stack(bundle, stack)) }

// frame leads one frame back. ours says that an author has no use for it.
func (m *Map) frame(bundle string, f Frame) (mapped Frame, ours bool) {
	line, column := f.Line, f.Column
	if f.Line == 1 {
		column++ // the engine counts the columns of the first line, and of no other, from 0
	}
	if f.File == parsedText || f.Function == nativeDoor {
		return f, true
	}
	if f.File != bundle || bundle == "" {
		if m == nil {
			return f, false
		}
		var ok bool
		if line, ok = m.inBundle(f.File, f.Line); !ok {
			return f, false
		}
	}
	at, ok := m.Source(line, column)
	if !ok {
		return f, true // a helper of the bundler's
	}
	f.File, f.Line, f.Column = at.File, at.Line, at.Column
	return f, Internal(at.File)
}

// Internal tells a source that is no file of the author's or of an npm package.
func Internal(file string) bool {
	return strings.HasPrefix(file, "neuralis:") || strings.HasPrefix(file, ".neuralis/")
}

// trimNative drops native frames that nothing follows: they say how the library called a
// function of the author's, which is of no use without the frame that did.
func trimNative(frames []Frame) []Frame {
	for len(frames) > 0 && frames[len(frames)-1].File == native {
		frames = frames[:len(frames)-1]
	}
	return frames
}
