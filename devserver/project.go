package devserver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neuralis-dev/neuralis/build"
	"github.com/neuralis-dev/neuralis/host"
	"github.com/neuralis-dev/neuralis/host/catalog"
	"github.com/neuralis-dev/neuralis/manifest"
)

// ProjectOptions are what a project works with. Host, Builder and Events are needed.
type ProjectOptions struct {
	Host    *host.Host
	Builder *build.Builder
	Events  *Events
	// Toolchain is the version that packages are built with.
	Toolchain string
	// Show gives a folder as the author would write it; nil leaves it as it is.
	Show func(dir string) string
	// Changed is called after what there is has changed; nil is nobody.
	Changed func()
}

// Project builds packages when their sources change, and tells the host. It is for one goroutine, but for Problems.
type Project struct {
	opts    ProjectOptions
	members map[string]*member // by folder

	mu       sync.Mutex
	problems map[string]manifest.Diagnostics // by folder
}

// member is a package of the project.
type member struct {
	dir     string
	builder *build.Incremental
	// built is what the last build that was tried depended on, done says that there was one, and failed that nothing came of
	// it.
	built        build.Inputs
	done, failed bool
	state        state
}

// state is what came of the last look at a package.
type state struct {
	id     string
	broken bool
}

// NewProject makes a project of a host.
func NewProject(opts ProjectOptions) *Project {
	if opts.Show == nil {
		opts.Show = func(dir string) string { return dir }
	}
	if opts.Changed == nil {
		opts.Changed = func() {}
	}
	return &Project{opts: opts, members: map[string]*member{}, problems: map[string]manifest.Diagnostics{}}
}

// Problems are what is wrong with packages whose last save broke them, by their folders as the author writes them.
func (p *Project) Problems() map[string]manifest.Diagnostics {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make(map[string]manifest.Diagnostics, len(p.problems))
	for dir, diags := range p.problems {
		all[p.opts.Show(dir)] = diags
	}
	return all
}

// Folders are the packages' folders, sorted.
func (p *Project) Folders() []string {
	var dirs []string
	for _, e := range p.opts.Host.Catalog().All() {
		if e.Kind == catalog.KindPackage && !slices.Contains(dirs, e.Dir) {
			dirs = append(dirs, e.Dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// Refresh looks at what has changed below some paths, or, without any, at everything: it builds what needs to be built,
// and then lets the host look. The error is that of ctx.
func (p *Project) Refresh(ctx context.Context, paths []string) error {
	dirs := p.Folders()
	if len(paths) > 0 {
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !touched(dir, paths) })
	}
	news, _ := p.lookAt(ctx, dirs, paths)
	if err := p.rescan(ctx, dirs, news); err != nil {
		return err
	}
	// Packages that were not there before.
	var fresh []string
	for _, dir := range p.Folders() {
		if p.members[dir] == nil {
			fresh = append(fresh, dir)
		}
	}
	p.forget()
	if len(fresh) == 0 {
		return ctx.Err()
	}
	news, ok := p.lookAt(ctx, fresh, nil)
	if !ok {
		return ctx.Err()
	}
	return p.rescan(ctx, fresh, news)
}

// touched reports whether one of the paths is a folder, in it, or around it.
func touched(dir string, paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { return within(path, dir) || within(dir, path) })
}

func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// lookAt builds those of some packages whose code has changed. news are what is to be told of it once it answers; ok says
// that the look was not cut short. paths are what changed, as far as that is known.
func (p *Project) lookAt(ctx context.Context, dirs, paths []string) (news []Event, ok bool) {
	var group sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	outcomes := make([]outcome, len(dirs))
	for i, dir := range dirs {
		m := p.members[dir]
		if m == nil {
			m = &member{dir: dir, builder: p.opts.Builder.Incremental()}
			p.members[dir] = m
		}
		limit <- struct{}{}
		group.Go(func() {
			defer func() { <-limit }()
			aside := len(paths) > 0 && !slices.ContainsFunc(paths, func(path string) bool { return isSource(dir, path) })
			outcomes[i] = p.look(ctx, m, aside)
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, false
	}
	for i, dir := range dirs {
		if event, told := p.note(p.members[dir], outcomes[i]); told {
			news = append(news, event)
		}
	}
	return news, true
}

// isSource reports whether a path is one that an author of the package in a folder writes to, or a folder with such.
func isSource(dir, path string) bool {
	return within(dir, path) || within(path, filepath.Join(dir, "src")) || within(filepath.Join(dir, "src"), path) ||
		filepath.Dir(path) == dir && filepath.Ext(path) == ".json"
}

// madeIn stands for what the builds of a package have made: while it is the same, so is that.
func madeIn(dir string) []byte {
	sum := sha256.New()
	for _, name := range []string{build.ModuleFile, build.RoutesFile} {
		content, err := os.ReadFile(filepath.Join(dir, build.DefaultOut, name))
		fmt.Fprintf(sum, "%q %d %t\n", name, len(content), err == nil)
		sum.Write(content)
	}
	return sum.Sum(nil)
}

// outcome is what came of a look at a package.
type outcome struct {
	id     string
	gone   bool
	built  bool
	took   time.Duration
	diags  manifest.Diagnostics
	broken bool
	// silent says that nobody changed a source and that the build came to what the one before came to. That is not told: a
	// log of what is told may be in the folder of the package, which would be built again and again.
	silent bool
}

// look builds a package if its code has changed. aside says that what changed are no sources, as far as one can tell.
func (p *Project) look(ctx context.Context, m *member, aside bool) (o outcome) {
	start := time.Now()
	if _, err := os.Stat(m.dir); err != nil {
		return outcome{gone: true}
	}
	pkg, diags := manifest.Load(m.dir)
	if pkg == nil || diags.HasErrors() {
		return outcome{diags: diags, broken: true}
	}
	o.id = pkg.ID
	inputs, err := build.InputsOf(pkg)
	if err != nil {
		// What cannot be looked at cannot be built either, and the build says it better.
		inputs = build.Inputs{}
	}
	code := pkg.Runtime == manifest.RuntimeWASM || pkg.Runtime == manifest.RuntimeNode
	if !m.done && code {
		if stale, err := build.Stale(pkg, p.opts.Toolchain); err == nil && !stale && pkg.Runtime == manifest.RuntimeWASM {
			m.built, m.done = inputs, true // an earlier run has built it
		}
	}
	if !code || m.done && err == nil && m.built == inputs {
		if o.diags = append(diags, build.Check(pkg)...); o.diags.HasErrors() {
			o.broken = true
		}
		// A build that failed for other reasons than code, such as a full disk, is to be tried again.
		if o.broken || !m.failed {
			return o
		}
	}
	var before []byte
	if aside {
		before = madeIn(m.dir)
	}
	result, more := m.builder.Build(ctx, pkg)
	m.built, m.done, m.failed = inputs, true, result == nil
	o.diags, o.broken, o.built, o.took = append(diags, more...), result == nil, true, time.Since(start)
	o.silent = aside && len(o.diags) == 0 && bytes.Equal(before, madeIn(m.dir))
	return o
}

// note remembers an outcome, and returns the event to tell, if it is news.
func (p *Project) note(m *member, o outcome) (event Event, told bool) {
	was := m.state
	if o.id == "" {
		o.id = was.id
	}
	m.state = state{o.id, o.broken}
	p.mu.Lock()
	if o.broken {
		p.problems[m.dir] = o.diags
	} else {
		delete(p.problems, m.dir)
	}
	p.mu.Unlock()
	event = Event{Package: o.id, Dir: p.opts.Show(m.dir), Milliseconds: float64(o.took.Microseconds()) / 1000, Diagnostics: o.diags}
	switch {
	case o.gone, o.silent && was.broken == o.broken:
		return Event{}, false
	case o.broken:
		event.Kind = KindBroken
	case o.built:
		event.Kind = KindBuilt
	case was.broken:
		event.Kind = KindMended
	default:
		return Event{}, false
	}
	return event, true
}

// rescan lets the host look at some folders and at those that it does not know. All others stay as they were, and so do
// packages that are broken. What is told is true by then: who hears of a build finds it answering.
func (p *Project) rescan(ctx context.Context, dirs []string, news []Event) error {
	var held []string
	for dir, m := range p.members {
		if m.state.broken || !slices.Contains(dirs, dir) {
			held = append(held, dir)
		}
	}
	before := p.opts.Host.Catalog()
	changes, err := p.opts.Host.Rescan(ctx, held...)
	for _, event := range news {
		p.opts.Events.Emit(event)
	}
	if err != nil {
		return err
	}
	changes.Changed = append(changes.Changed, differing(before, p.opts.Host.Catalog(), dirs, changes)...)
	slices.Sort(changes.Changed)
	if changes.Any() {
		p.opts.Events.Emit(Event{Kind: KindChanged, Added: changes.Added, Removed: changes.Removed, Changed: changes.Changed})
	}
	if p.opts.Host.Catalog() != before {
		p.opts.Changed()
	}
	return nil
}

// differing are the keys of packages that offer something else than before and need no loading for it: those of which
// a schema, a skill or the like is different.
func differing(before, after *catalog.Catalog, dirs []string, known host.Changes) (keys []string) {
	was := map[string]*catalog.Entry{}
	for _, e := range before.All() {
		was[e.Key()] = e
	}
	for _, e := range after.All() {
		key, old := e.Key(), was[e.Key()]
		if old == nil || e.Kind != catalog.KindPackage || !slices.Contains(dirs, e.Dir) || slices.Contains(known.Changed, key) || slices.Contains(known.Added, key) {
			continue
		}
		if e.Status != old.Status || !reflect.DeepEqual(e.Package, old.Package) || !reflect.DeepEqual(e.Diagnostics, old.Diagnostics) {
			keys = append(keys, key)
		}
	}
	return keys
}

// forget frees what belongs to packages that are gone.
func (p *Project) forget() {
	there := p.Folders()
	for dir, m := range p.members {
		if _, found := slices.BinarySearch(there, dir); found {
			continue
		}
		m.builder.Close()
		delete(p.members, dir)
		p.mu.Lock()
		delete(p.problems, dir)
		p.mu.Unlock()
	}
}

// Close frees what builds keep.
func (p *Project) Close() {
	for _, m := range p.members {
		m.builder.Close()
	}
}
