package logs

import (
	"context"
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
		logger.tellDropped(context.Background())
		logger.writing.Unlock()
	}
}
