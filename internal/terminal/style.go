package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Style puts colour on words, or leaves them alone. Get one from
// [IO.OutStyle] or [IO.ErrStyle]; the zero value is plain.
type Style struct{ renderer *lipgloss.Renderer }

func newStyle(colored bool) Style {
	if !colored {
		return Style{}
	}
	// Profile and background are stated, so the renderer never queries anything.
	r := lipgloss.NewRenderer(io.Discard, termenv.WithProfile(termenv.ANSI))
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	return Style{renderer: r}
}

// Colored reports whether the style changes anything.
func (s Style) Colored() bool { return s.renderer != nil }

// paint styles each line by itself: lipgloss would pad a block to equal width.
func (s Style) paint(text string, change func(lipgloss.Style) lipgloss.Style) string {
	if s.renderer == nil || text == "" {
		return text
	}
	style := change(s.renderer.NewStyle().TabWidth(lipgloss.NoTabConversion))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = style.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

func (s Style) color(text, ansi string, bold bool) string {
	return s.paint(text, func(l lipgloss.Style) lipgloss.Style {
		return l.Foreground(lipgloss.Color(ansi)).Bold(bold)
	})
}

// Bold is for names and headings.
func (s Style) Bold(text string) string {
	return s.paint(text, func(l lipgloss.Style) lipgloss.Style { return l.Bold(true) })
}

// Dim is for what may be skipped.
func (s Style) Dim(text string) string {
	return s.paint(text, func(l lipgloss.Style) lipgloss.Style { return l.Faint(true) })
}

// Underline is for file names that head a group.
func (s Style) Underline(text string) string {
	return s.paint(text, func(l lipgloss.Style) lipgloss.Style { return l.Underline(true) })
}

// Bad is for errors.
func (s Style) Bad(text string) string { return s.color(text, "1", true) }

// Good is for success.
func (s Style) Good(text string) string { return s.color(text, "2", false) }

// Warn is for warnings.
func (s Style) Warn(text string) string { return s.color(text, "3", true) }

// Accent is for what the reader may type: commands, flags.
func (s Style) Accent(text string) string { return s.color(text, "6", false) }

// Severity is for a word of that severity.
func (s Style) Severity(severity manifest.Severity, text string) string {
	switch severity {
	case manifest.SeverityError:
		return s.Bad(text)
	case manifest.SeverityWarning:
		return s.Warn(text)
	default:
		return s.Accent(text)
	}
}

// Printable makes the control characters of foreign text visible, so a package
// cannot move the cursor, recolour the screen or hide a line: everything that
// is not a newline, a tab or graphic becomes an escape such as \x1b or \u202e.
func Printable(text string) string {
	clean := func(r rune) bool {
		return r == '\n' || r == '\t' || r != unicode.ReplacementChar && unicode.IsGraphic(r)
	}
	i := strings.IndexFunc(text, func(r rune) bool { return !clean(r) })
	if i < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:i])
	for _, r := range text[i:] {
		switch {
		case clean(r) || r == unicode.ReplacementChar:
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}
