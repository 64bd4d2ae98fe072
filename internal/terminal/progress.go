package terminal

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// Progress shows how far many jobs that run at once have come. On a terminal one
// line at the bottom says how many are done and which are being worked on; each
// finished job leaves a line above it. Elsewhere only the lines are printed, and
// in a quiet run nothing is.
//
// All methods may be called from any goroutine. The display changes only when
// something happens: there is no ticker to stop and no goroutine to leak.
type Progress struct {
	mu      sync.Mutex
	io      *IO
	style   Style
	doing   string
	total   int
	done    int
	running []string // in order of start
	live    bool
	shown   bool // the live line is on the screen
}

// NewProgress begins to show total jobs of doing something, a present participle
// such as "building". Call [Progress.Close] at the end.
func NewProgress(s *IO, doing string, total int) *Progress {
	return &Progress{io: s, style: s.ErrStyle(), doing: doing, total: total,
		live: s.errTTY && !s.Quiet && s.Getenv("TERM") != "dumb"}
}

// Start says that a job has begun.
func (p *Progress) Start(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, name)
	p.redraw("")
}

// Done says that a job has ended well, with a short text about the outcome.
func (p *Progress) Done(name, outcome string) { p.finish(name, p.style.Good("✓"), outcome) }

// Fail says that a job has ended badly; its diagnostics are printed by the caller.
func (p *Progress) Fail(name, outcome string) { p.finish(name, p.style.Bad("✗"), outcome) }

func (p *Progress) finish(name, mark, outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, running := range p.running {
		if running == name {
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	p.done++
	line := mark + " " + p.style.Bold(Printable(name))
	if outcome != "" {
		line += "  " + p.style.Dim(Printable(outcome))
	}
	p.redraw(line + "\n")
}

// Note prints a line above the display: something worth saying that belongs to no job.
func (p *Progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.redraw(Printable(text) + "\n")
}

// Close removes the live line. Nothing may be called after it.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total = 0
	p.redraw("")
}

// redraw prints text above the live line, in one write so that lines of other
// processes cannot come between.
func (p *Progress) redraw(text string) {
	if p.io.Quiet {
		return
	}
	var b strings.Builder
	if p.shown {
		b.WriteString("\r\x1b[K")
		p.shown = false
	}
	b.WriteString(text)
	if p.live && p.done < p.total && len(p.running) > 0 {
		b.WriteString(p.line())
		p.shown = true
	}
	if b.Len() > 0 {
		_, _ = p.io.Err.Write([]byte(b.String()))
	}
}

// line is the live line, cut to the terminal's width: a wrapped line could not
// be erased by returning to its start.
func (p *Progress) line() string {
	head := p.doing + " "
	if p.total > 1 {
		head = fmt.Sprintf("%s %d/%d ", p.doing, p.done, p.total)
	}
	room := p.io.Width() - utf8.RuneCountInString(head) - 1
	return head + p.style.Dim(truncate(Printable(strings.Join(p.running, ", ")), room))
}

// truncate cuts text to at most n runes, the last one an ellipsis when cut.
func truncate(text string, n int) string {
	if n <= 0 {
		return ""
	}
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}
