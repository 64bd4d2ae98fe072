package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/neuralis-dev/neuralis/internal/sourcemap"
)

// placedPorts leads the stacks in what a package logs back to its author's files.
type placedPorts struct {
	Ports
	places places
}

// frameMark is what each frame of a stack begins with.
const frameMark = "    at "

// Log implements sandbox.Ports.
func (p *placedPorts) Log(ctx context.Context, level int, message string) {
	p.Ports.Log(ctx, level, p.rewritten(message))
}

// Answer implements sandbox.Ports. A request to log something is changed, all others are passed on as they are.
func (p *placedPorts) Answer(ctx context.Context, request []byte) []byte {
	if bytes.Contains(request, []byte(`"op":"log"`)) && bytes.Contains(request, []byte(frameMark)) {
		var line struct {
			Op      string `json:"op"`
			Level   string `json:"level"`
			Message string `json:"message"`
			Fields  any    `json:"fields,omitempty"`
		}
		decoder := json.NewDecoder(bytes.NewReader(request))
		decoder.UseNumber()
		if decoder.Decode(&line) == nil && line.Op == "log" {
			line.Message, line.Fields = p.rewritten(line.Message), p.inside(line.Fields)
			if changed, err := json.Marshal(line); err == nil {
				request = changed
			}
		}
	}
	return p.Ports.Answer(ctx, request)
}

// inside rewrites the strings in a value.
func (p *placedPorts) inside(value any) any {
	switch value := value.(type) {
	case string:
		return p.rewritten(value)
	case []any:
		for i := range value {
			value[i] = p.inside(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = p.inside(value[name])
		}
	}
	return value
}

// rewritten is a text with its stacks, if there are any, in the author's files.
func (p *placedPorts) rewritten(text string) string {
	if !strings.Contains(text, frameMark) {
		return text
	}
	m := p.places()
	if m == nil {
		return text
	}
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		indent, rest := cutIndent(lines[i])
		if !strings.HasPrefix(rest, "at ") || indent == "" {
			out.WriteString(lines[i])
			i++
			continue
		}
		first := i
		for i < len(lines) {
			if _, rest := cutIndent(lines[i]); !strings.HasPrefix(rest, "at ") {
				break
			}
			i++
		}
		writeFrames(&out, m, strings.Join(lines[first:i], ""), indent)
	}
	return out.String()
}

// writeFrames writes a stack down as the author knows it.
func writeFrames(out *strings.Builder, m *sourcemap.Map, stack, indent string) {
	ends := strings.HasSuffix(stack, "\n")
	frames := m.Stack(bundleName, stack)
	for i, frame := range frames {
		out.WriteString(indent + frame.String())
		if ends || i < len(frames)-1 {
			out.WriteByte('\n')
		}
	}
}

func cutIndent(line string) (indent, rest string) {
	rest = strings.TrimLeft(line, " ")
	return line[:len(line)-len(rest)], rest
}
