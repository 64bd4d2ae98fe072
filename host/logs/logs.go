package logs

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/host/data"
)

// The bounds of what a package can log.
const (
	// MaxLineBytes is the longest line.
	MaxLineBytes = 64 << 10
	// MaxFileBytes is how long a file gets.
	MaxFileBytes = 10 << 20
	// Keep is how many full files are kept.
	Keep = 5
	// Burst is how many lines a package may log at a stroke.
	Burst = 1000
	// PerSecond is how many more it may log in each second.
	PerSecond = 100
)

// Options say where logs are kept and what goes into them.
type Options struct {
	// DataDir and GlobalDir are the absolute folders of the host's config.
	DataDir, GlobalDir string
	// Settings is asked at each line.
	Settings func() Settings
	// Now is the clock.
	Now func() time.Time
	// Redactor knows the secrets; it may be nil.
	Redactor *Redactor
	// Kept is told of each line that is kept, as it is kept and in the order of the lines of one call; it may be nil. It may
	// be called by several goroutines at once.
	Kept func(Line)
	// OnFault is told when lines cannot be written: the package's key and why, once until one is written again. It may be nil.
	OnFault func(key string, err error)
}

// Logs are the logs of all packages of a host. They may be used by many goroutines at once, and several
// processes may write to the same files.
type Logs struct {
	options             Options
	project, firstParty *data.Store

	mu      sync.Mutex
	loggers map[string]*Logger
}

// Open returns the logs in two folders. It touches no disk.
func Open(options Options) (*Logs, error) {
	l := &Logs{options: options, loggers: map[string]*Logger{}}
	for into, dir := range map[**data.Store]string{&l.project: options.DataDir, &l.firstParty: options.GlobalDir} {
		// Lines are many, can be missed and are not for everybody. Nobody waits for them for long.
		store, err := data.Open(filepath.Join(dir, "logs"), data.Options{Volatile: true, Private: true, LockWait: 2 * time.Second})
		if err != nil {
			return nil, err
		}
		*into = store
	}
	return l, nil
}

// Package says whose lines these are.
type Package struct {
	// Key names the package among all: its id, for those of a user or an agent with user/owner/ or agent/owner/
	// in front. It is the name of the file.
	Key string
	// ID is the id of the package, which lines and overrides have.
	ID string
	// FirstParty says that the package is first-party.
	FirstParty bool
}

// Line is a line as it is kept: what is known to be secret is masked, and what is too long is cut.
type Line struct {
	Time time.Time
	// Package is the id of the package.
	Package string
	Level   Level
	Message string
	// Fields is a JSON value, usually an object, or empty.
	Fields json.RawMessage
	// Call is what the host knows of the call during which it was logged.
	Call Call
}

// For returns the log of a package, the same one for the same package. An invalid key is an error.
func (l *Logs) For(p Package) (*Logger, error) {
	store, kind := l.project, "project:"
	if p.FirstParty {
		store, kind = l.firstParty, "first-party:"
	}
	path, err := data.EncodePath(p.Key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	logger := l.loggers[kind+p.Key]
	if logger == nil {
		logger = &Logger{logs: l, pkg: p, store: store, path: path + ".jsonl", budget: budget{lines: Burst}}
		l.loggers[kind+p.Key] = logger
	}
	return logger, nil
}

// Close tells in each log how many lines were dropped of which no line told yet. Logging goes on working.
func (l *Logs) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, logger := range l.loggers {
		logger.writing.Lock()
		kept := logger.tellDropped(context.Background())
		logger.writing.Unlock()
		logger.tell(kept...)
	}
}
