package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/neuralis-dev/neuralis/manifest"
)

// Standing is what is known of where a package will be used.
type Standing string

// The standings.
const (
	// StandingAuto: a package in a folder _packages is a project's; of others nothing is known.
	StandingAuto Standing = ""
	// StandingProject: the package is used in projects, where it is untrusted or trusted.
	StandingProject Standing = "project"
	// StandingFirstParty: the operator lists the package among the builtins.
	StandingFirstParty Standing = "first-party"
)

// Options change what [Run] does.
type Options struct {
	// Standing is what is known of the packages, where their settings do not say.
	Standing Standing
	// Baseline are findings that are known and not reported; nil for none.
	Baseline *Baseline
}

// Report is what a run found.
type Report struct {
	// Packages are in the order in which their folders were given.
	Packages []Package
}

// Package is what was found in one package.
type Package struct {
	// Dir is the folder as it was given.
	Dir string
	// ID is the package's id, empty where it has none.
	ID string
	// Diagnostics are the findings, sorted. Their files are relative to Dir.
	Diagnostics manifest.Diagnostics
	// Suppressed is how many findings settings and comments keep quiet, and Known how many the baseline does.
	Suppressed, Known int
	// Fixes are the changes that are safe to make for the findings; see [Apply].
	Fixes []Fix
}

// All are the findings of all packages, with files relative to base.
func (r Report) All(base string) manifest.Diagnostics {
	var all manifest.Diagnostics
	for _, p := range r.Packages {
		prefix, err := filepath.Rel(base, p.Dir)
		if err != nil {
			prefix = p.Dir
		}
		for _, d := range p.Diagnostics {
			d.File = join(prefix, d.File)
			d.Notes = append([]manifest.Note(nil), d.Notes...)
			for i := range d.Notes {
				if d.Notes[i].File != "" {
					d.Notes[i].File = join(prefix, d.Notes[i].File)
				}
			}
			all = append(all, d)
		}
	}
	return all
}

func join(prefix, file string) string { return filepath.ToSlash(filepath.Join(prefix, file)) }

// Run checks the packages in some folders, several at a time. It ends early only when ctx does, with the error of that.
func Run(ctx context.Context, dirs []string, o Options) (Report, error) {
	rules := Rules()
	passes := make([]*pass, len(dirs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(dirs)) {
		workers.Go(func() {
			for i := range next {
				passes[i] = inspect(ctx, dirs[i], rules, o)
			}
		})
	}
	for i := range dirs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	together(passes)
	report := Report{Packages: make([]Package, len(dirs))}
	for i, p := range passes {
		report.Packages[i] = p.finish(rules, o)
	}
	report.once()
	return report, nil
}

// once leaves what is wrong with the settings of a project with the first of its packages.
func (r Report) once() {
	seen := map[place]bool{}
	for i := range r.Packages {
		p := &r.Packages[i]
		p.Diagnostics = slices.DeleteFunc(p.Diagnostics, func(d manifest.Diagnostic) bool {
			if !strings.HasPrefix(d.File, "../") {
				return false
			}
			at := placeOf(d)
			at.file = filepath.Join(p.Dir, filepath.FromSlash(d.File))
			again := seen[at]
			seen[at] = true
			return again
		})
	}
}

// inspect looks into one package.
func inspect(ctx context.Context, dir string, rules []Rule, o Options) *pass {
	pkg, loaded := manifest.Load(dir)
	p := newPass(dir, pkg, o)
	p.found = append(p.found, loaded...)
	if pkg == nil {
		return p
	}
	p.loaderFixes()
	p.readSources(ctx)
	for i := range rules {
		if rules[i].check == nil || ctx.Err() != nil {
			continue
		}
		p.check(&rules[i])
	}
	p.settings.ignores = append(p.settings.ignores, p.comments()...)
	p.sources, p.order = nil, nil // of many packages, that would be much
	return p
}

// check runs one rule. What goes wrong in it is about one package and one rule, and no reason for the others not to be heard.
func (p *pass) check(rule *Rule) {
	defer func() {
		if r := recover(); r != nil {
			p.found = append(p.found, manifest.Diagnostic{Rule: internalRule, Severity: manifest.SeverityError,
				Message: fmt.Sprintf("the rule %s failed, which is a fault of the linter: %v", rule.ID, r), Hint: "report it with the package, and set the rule to \"off\" until it is mended"})
		}
	}()
	p.rule = rule
	rule.check(p)
}

// finish applies settings and ignores.
func (p *pass) finish(rules []Rule, o Options) Package {
	result := Package{Dir: p.dir}
	if p.pkg != nil {
		result.ID = p.pkg.ID
	}
	kept, suppressed := p.settle(rules)
	result.Suppressed = suppressed
	kept.Sort()
	result.Diagnostics, result.Known = o.Baseline.without(p.dir, kept)
	seen := map[place]bool{}
	for _, d := range result.Diagnostics {
		if at := placeOf(d); !seen[at] {
			seen[at] = true
			result.Fixes = append(result.Fixes, p.fixes[at]...)
		}
	}
	return result
}
