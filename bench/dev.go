package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"
)

// savesPerRun is how many saves are timed for each run that is asked for: a percentile needs many.
const savesPerRun = 5

// manyDev is how many packages a project has that has many.
const manyDev = 100

// neuralisDev is `neuralis dev` in a project with some packages besides the one that is edited.
func (w *World) neuralisDev(ctx context.Context, others int) (*devSide, error) {
	project, err := w.folder("dev")
	if err != nil {
		return nil, err
	}
	all := files{
		// Asking in a loop is not what the limits are for.
		"neuralis.host.json": `{ "limits": { "untrusted": { "routesPerMinute": 1000000 } } }` + "\n",
	}
	add := func(name string, number int) {
		for path, text := range devPackage(name, number) {
			all["_packages/"+name+"/"+path] = text
		}
	}
	add("greet", 0)
	for i := range others {
		add(fmt.Sprintf("other-%d", i), i)
	}
	if err := all.write(project); err != nil {
		return nil, err
	}
	return &devSide{
		Name: "neuralis dev",
		Path: "/api/packages/greet/hello?name=Ada",
		Write: func(number int) error {
			return files{"src/routes/hello.ts": devRoute(number)}.write(filepath.Join(project, "_packages", "greet"))
		},
		Command: func(port int) *exec.Cmd {
			return w.Neuralis(ctx, w.Cache, project, "dev", "--port", strconv.Itoa(port))
		},
	}, nil
}

// devPackage is a package with one route.
func devPackage(name string, number int) files {
	return files{
		"package.json":        fmt.Sprintf(`{ "name": %q, "version": "1.0.0", "neuralis": { "runtime": { "type": "wasm" } } }`+"\n", name),
		"src/routes/hello.ts": strings.ReplaceAll(devRoute(number), "'hello'", "'"+name+"/hello'"),
	}
}

func devRoute(number int) string {
	return fmt.Sprintf(`export const pattern = 'hello';

export function GET(request: { query: Record<string, string> }) {
  return { status: 200, body: { text: %s } };
}
`, "`Hello, ${request.query.name}! ("+strconv.Itoa(number)+")`")
}

// wranglerDev is the same handler in wrangler.
func (w *World) wranglerDev(ctx context.Context) (*devSide, error) {
	peers, err := w.Peers(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := w.folder("wrangler")
	if err != nil {
		return nil, err
	}
	home, err := w.folder("wrangler-home")
	if err != nil {
		return nil, err
	}
	if err := (files{"wrangler.jsonc": `{ "name": "greet", "main": "src/index.ts", "compatibility_date": "2026-01-01" }` + "\n"}).write(dir); err != nil {
		return nil, err
	}
	return &devSide{
		Name: "wrangler dev",
		Path: "/hello?name=Ada",
		Write: func(number int) error {
			return files{"src/index.ts": fmt.Sprintf(`export default {
  fetch(request: Request): Response {
    return Response.json({ text: %s });
  },
};
`, "`Hello, ${new URL(request.url).searchParams.get('name')}! ("+strconv.Itoa(number)+")`")}.write(dir)
		},
		Command: func(port int) *exec.Cmd {
			// The program itself, without npx or a shell in front of it, and with nothing to ask of a network that it may not
			// reach.
			cmd := exec.CommandContext(ctx, filepath.Join(peers, "node_modules", "node", "bin", "node"),
				filepath.Join(peers, "node_modules", "wrangler", "bin", "wrangler.js"),
				"dev", "--local", "--ip", "127.0.0.1", "--port", strconv.Itoa(port), "--inspector-port", "0", "--show-interactive-dev-session=false")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "CI=1", "NO_COLOR=1",
				"WRANGLER_SEND_METRICS=false", "WRANGLER_SEND_ERROR_REPORTS=false", "CLOUDFLARE_CF_FETCH_ENABLED=false")
			return cmd
		},
	}, nil
}

// devPair starts two servers. stop ends both.
func devPair(ctx context.Context, a, b *devSide) (stop func(), err error) {
	for _, side := range []*devSide{a, b} {
		if _, err := side.start(ctx, 0); err != nil {
			a.stop()
			return nil, err
		}
	}
	return func() {
		a.stop()
		b.stop()
	}, nil
}

// savesInTurn times saves of two servers one after the other, after some that are not timed.
func savesInTurn(ctx context.Context, a, b *devSide, runs int) (sa, sb []float64, err error) {
	for i := -3; i < runs*savesPerRun; i++ {
		x, err := a.save(ctx, i+1000)
		if err != nil {
			return nil, nil, err
		}
		y, err := b.save(ctx, i+1000)
		if err != nil {
			return nil, nil, err
		}
		if i >= 0 {
			sa, sb = append(sa, x.Seconds()), append(sb, y.Seconds())
		}
	}
	return sa, sb, nil
}

// devSave measures the time from a save to the new answer.
func devSave(ctx context.Context, w *World) ([]Row, error) {
	peer, err := w.wranglerDev(ctx)
	if err != nil {
		return nil, err
	}
	ours, err := w.neuralisDev(ctx, 0)
	if err != nil {
		return nil, err
	}
	stop, err := devPair(ctx, peer, ours)
	if err != nil {
		return nil, err
	}
	defer stop()
	a, b, err := savesInTurn(ctx, peer, ours, w.Runs)
	if err != nil {
		return nil, err
	}
	row := Row{What: "save to new answer: wrangler dev / neuralis dev", Unit: "x", Spread: spreadOf(ratios(a, b))}.judged(">=", 4)
	row.Note = fmt.Sprintf("neuralis dev answers %s after a save (median), wrangler dev %s; p95 %s and %s", seconds(spreadOf(b).Median),
		seconds(spreadOf(a).Median), seconds(percentile(b, 95)), seconds(percentile(a, 95)))
	tail := Row{What: "save to new answer: p95 / median of neuralis dev", Unit: "x", Spread: spreadOf([]float64{percentile(b, 95) / spreadOf(b).Median})}
	return []Row{row, tail.judged("<=", 2)}, nil
}

// devReady measures the time from the start of the process to the first answer.
func devReady(ctx context.Context, w *World) ([]Row, error) {
	peer, err := w.wranglerDev(ctx)
	if err != nil {
		return nil, err
	}
	ours, err := w.neuralisDev(ctx, 0)
	if err != nil {
		return nil, err
	}
	var a, b []float64
	for i := -1; i < w.Runs; i++ {
		for _, side := range []*devSide{peer, ours} {
			took, err := side.start(ctx, i+1)
			if err != nil {
				return nil, err
			}
			side.stop()
			if i < 0 {
				continue
			}
			if side == peer {
				a = append(a, took.Seconds())
			} else {
				b = append(b, took.Seconds())
			}
		}
	}
	row := Row{What: "start to first answer: wrangler dev / neuralis dev", Unit: "x", Spread: spreadOf(ratios(a, b))}.judged(">=", 5)
	row.Note = fmt.Sprintf("neuralis dev answers %s after it was started (median), wrangler dev %s", seconds(spreadOf(b).Median), seconds(spreadOf(a).Median))
	return []Row{row}, nil
}

// devMany compares a save in a project with many packages with one in a project of one.
func devMany(ctx context.Context, w *World) ([]Row, error) {
	many, err := w.neuralisDev(ctx, manyDev-1)
	if err != nil {
		return nil, err
	}
	one, err := w.neuralisDev(ctx, 0)
	if err != nil {
		return nil, err
	}
	stop, err := devPair(ctx, many, one)
	if err != nil {
		return nil, err
	}
	defer stop()
	a, b, err := savesInTurn(ctx, many, one, w.Runs)
	if err != nil {
		return nil, err
	}
	row := Row{What: fmt.Sprintf("save to new answer: one of %d packages / a single one", manyDev), Unit: "x", Spread: spreadOf(ratios(a, b))}.judged("<=", 2)
	row.Note = fmt.Sprintf("%s and %s (medians)", seconds(spreadOf(a).Median), seconds(spreadOf(b).Median))
	return []Row{row}, nil
}

// idleFor is how long a server is watched that has nothing to do.
const idleFor = 10 * time.Second

// devIdle measures the processor time of a server that watches many packages of which nobody saves any.
func devIdle(ctx context.Context, w *World) ([]Row, error) {
	side, err := w.neuralisDev(ctx, manyDev-1)
	if err != nil {
		return nil, err
	}
	if _, err := side.start(ctx, 0); err != nil {
		return nil, err
	}
	defer side.stop()
	var shares []float64
	for i := range max(2, min(w.Runs, 4)) {
		before, err := processorTime(side.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(idleFor):
		}
		after, err := processorTime(side.cmd.Process.Pid)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first is what is left to do after the start
			shares = append(shares, 100*(after-before).Seconds()/time.Since(begin).Seconds())
		}
	}
	row := Row{What: fmt.Sprintf("processor time of a server with %d packages and nothing to do", manyDev), Unit: "%", Spread: spreadOf(shares)}
	return []Row{row.judged("<=", 1)}, nil
}

// processorTime is what a process has used so far, in the kernel's ticks of 10 ms.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("the processor time of a process is only measured on Linux: %w", err)
	}
	// The name of the program, which may have blanks, is in parentheses; user and system time are fields 14 and 15.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, errors.New("/proc/<pid>/stat has another form than expected")
	}
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// percentile is the smallest figure that so many of a hundred do not exceed.
func percentile(figures []float64, percent int) float64 {
	sorted := append([]float64(nil), figures...)
	sort.Float64s(sorted)
	return sorted[(len(sorted)*percent+99)/100-1]
}
