package logs

import (
	"slices"
)

// Level is how much a line matters.
type Level string

// The levels, from the one that matters least. Off is for settings alone.
const (
	Trace Level = "trace"
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
	Off   Level = "off"
)

// Levels are all levels that a line can have, from the one that matters least.
func Levels() []Level { return []Level{Trace, Debug, Info, Warn, Error} }

// Rank is the place of a level among [Levels], as the guests' engine counts them; that of Off, and of what is no
// level, is above all.
func (l Level) Rank() int {
	if i := slices.Index(Levels(), l); i >= 0 {
		return i
	}
	return len(Levels())
}

// LevelOf returns the level of a rank. What is below or above all ranks becomes the nearest level.
func LevelOf(rank int) Level { return Levels()[min(max(rank, 0), len(Levels())-1)] }

// Settings say which lines are kept. They are those of the host's config.
type Settings struct {
	// Level is packageLogLevel; it may be empty.
	Level Level
	// Overrides is packageLogLevelOverrides: levels by [OverrideName].
	Overrides map[string]string
	// Debug is debug.
	Debug bool
}

// OverrideName is what packageLogLevelOverrides calls a package.
func OverrideName(packageID string) string { return "_installed/" + packageID }

// LevelFor returns the lowest level that is kept of what a package logs. Words that are no level are passed over, so
// that a slip keeps more and not less.
func (s Settings) LevelFor(packageID string) Level {
	for _, level := range []Level{Level(s.Overrides[OverrideName(packageID)]), s.Level} {
		if level == Off || level.Rank() < len(Levels()) {
			return level
		}
	}
	if s.Debug {
		return Debug
	}
	return Info
}
