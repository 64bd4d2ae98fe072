package lint

import (
	"fmt"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
)

func dataRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		const file = "-- src/tools/list.ts --\n"
		return Rule{ID: id, Severity: severity, Family: FamilyData, Summary: summary, Todo: todo, Bad: coded + schema + file + bad, Good: coded + schema + file + good, check: check}
	}
	update := `export default async (args, ctx) => {
  const items = ctx.data.fileStore('items');
  await items.update(args.id, (item) => ({ ...item, count: (item?.count ?? 0) + 1 }));
  return { content: [] };
};
`
	return []Rule{
		rule("data-race", manifest.SeverityWarning, "a record is read with `get` and written back with `put`: what others write in between is lost", "use `update`, which reads and writes under one lock",
			`export default async (args, ctx) => {
  const items = ctx.data.fileStore('items');
  const item = await items.get(args.id);
  await items.«put»(args.id, { ...item, count: item.count + 1 });
  return { content: [] };
};
`, update, races),
		rule("data-async-update", manifest.SeverityError, "the function that `update` is given is async: the record is locked while it runs, and it must return at once", "do what has to be waited for before",
			`export default async (args, ctx) => {
  const items = ctx.data.fileStore('items');
  await items.update(args.id, «async» (item) => ({ ...item, count: 1 }));
  return { content: [] };
};
`, update, asyncUpdates),
		rule("data-appender", manifest.SeverityWarning, "a handler makes an appender in each call: lines are in order within one appender alone", "make it in `init`, and keep it in the state",
			`export default async (args, ctx) => {
  await ctx.data.«jsonlAppender»().append('calls.jsonl', args);
  return { content: [] };
};
`, `export default async (args, ctx) => {
  await ctx.state.calls.append('calls.jsonl', args);
  return { content: [] };
};
`, appenders),
		{ID: "logger-level", Severity: manifest.SeverityWarning, Family: FamilyData, Summary: "`logger.level` is read in `init` and kept: the operator can change it at any time", Todo: "read it where it is used, or just log",
			Bad:   coded + "-- src/lifecycle.ts --\nexport function init(ctx) {\n  return { verbose: ctx.logger.«level» === 'debug' };\n}\n",
			Good:  coded + "-- src/lifecycle.ts --\nexport function init(ctx) {\n  return { verbose: () => ctx.logger.level === 'debug' };\n}\n",
			check: keptLevels},
		{ID: "data-folder", Severity: manifest.SeverityWarning, Family: FamilyData, Summary: "a file is written with `fs` where `dataPath` says, and its folder is never made: `dataPath` touches no disk", Todo: "`mkdir` its folder before, with `recursive: true`",
			Bad: noded + schema + `-- src/tools/list.ts --
import { writeFile } from 'node:fs/promises';
export default async (args, ctx) => {
  const file = ctx.data.dataPath('items/list.txt');
  await «writeFile»(file, 'list');
  return { content: [] };
};
`, Good: noded + schema + `-- src/tools/list.ts --
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
export default async (args, ctx) => {
  const file = ctx.data.dataPath('items/list.txt');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'list');
  return { content: [] };
};
`, check: missingFolders},
	}
}

// noded is the package.json of examples of node packages.
const noded = `-- package.json --
{ "name": "@acme/demo", "version": "1.0.0", "neuralis": { "id": "demo", "runtime": { "type": "node" } } }
`

// store reports whether an expression is a store of records, as far as the file tells: what fileStore gave, or something
// of which nothing speaks against it.
func store(n *source.Node) (path string, ok bool) {
	path, root := n.Path()
	if path == "" || root != nil && (root.Global || root.Imported != "") {
		return "", false
	}
	if root != nil && root.Init != nil && path == root.Name {
		init := root.Init.Bare()
		if init == nil || init.Kind == source.New {
			return "", false // a Map or another class
		}
		if init.Kind == source.Call {
			callee := init.Callee()
			return path, callee != nil && callee.Kind == source.Member && callee.Name == "fileStore"
		}
	}
	return path, true
}

// key is an argument in a form that can be compared; empty for what is worked out.
func key(n *source.Node) string {
	if n == nil {
		return ""
	}
	if text, ok := n.Constant(); ok {
		return "'" + text
	}
	path, _ := n.Path()
	return path
}

func races(p *pass) {
	type access struct {
		fn        *source.Node
		store, id string
	}
	read := map[access]*source.Binding{}
	p.calls(func(f *source.File, call, callee *source.Node) {
		if callee.Kind != source.Member || len(call.Args()) == 0 || call.Function() == nil {
			return
		}
		of, ok := store(callee.Kids[0])
		id := key(call.Args()[0])
		if !ok || id == "" {
			return
		}
		at := access{call.Function(), of, id}
		switch callee.Name {
		case "get":
			read[at] = result(call)
		case "put":
			// Only what was read and is part of what is written is lost.
			if got := read[at]; got != nil && len(call.Args()) == 2 && depends(call.Args()[1], got, map[*source.Binding]bool{}) {
				p.inSource(f, callee.Offset, fmt.Sprintf("%s was read with get before: what somebody else writes in between is lost", strings.TrimPrefix(id, "'")), "use update, which reads and writes under one lock")
			}
		}
	})
}

// result is the name that the value of a call is given, or nil.
func result(call *source.Node) *source.Binding {
	at := call
	for at.Parent != nil && (at.Parent.Kind == source.Unary || at.Parent.Kind == source.Group || at.Parent.Kind == source.Binary) {
		at = at.Parent
	}
	if at.Parent != nil && at.Parent.Kind == source.Declare && at.Parent.Kids[0].Kind == source.Ident {
		return at.Parent.Kids[0].Binding
	}
	return nil
}

// depends reports whether an expression uses a name, or a name that was made of it.
func depends(n *source.Node, b *source.Binding, seen map[*source.Binding]bool) bool {
	found := false
	n.Walk(func(n *source.Node) bool {
		if n.Kind == source.Ident && n.Binding != nil && !found && !seen[n.Binding] {
			seen[n.Binding] = true
			found = n.Binding == b || n.Binding.Init != nil && depends(n.Binding.Init, b, seen)
		}
		return !found
	})
	return found
}

func asyncUpdates(p *pass) {
	p.calls(func(f *source.File, call, callee *source.Node) {
		if callee.Kind != source.Member || callee.Name != "update" || len(call.Args()) != 2 {
			return
		}
		if _, ok := store(callee.Kids[0]); !ok {
			return
		}
		if fn := callable(call.Args()[1]); fn != nil && fn.Fn.Async {
			at := fn.Offset
			if bare := call.Args()[1].Bare(); bare.Kind == source.Ident {
				at = bare.Offset
			}
			p.inSource(f, at, "update calls the function while the record is locked: it must return at once, and cannot be async", "do what has to be waited for before")
		}
	})
}

func appenders(p *pass) {
	handlers := map[*source.Node]bool{}
	for _, fn := range p.handlers() {
		handlers[fn] = true
	}
	p.calls(func(f *source.File, call, callee *source.Node) {
		if fromPort(callee, "data", "jsonlAppender") && handlers[call.Function()] {
			p.inSource(f, callee.Offset, "an appender is made in each call, and lines are in order within one appender alone", "make it in init, and keep it in the state")
		}
	})
}

func keptLevels(p *pass) {
	init := p.init()
	f := p.lifecycle()
	if init == nil || f == nil {
		return
	}
	init.Walk(func(n *source.Node) bool {
		if n.Kind == source.Member && n.Name == "level" && directlyIn(n, init) {
			if of := n.Kids[0].Bare(); of != nil && strings.TrimRight(of.Name, "0123456789") == "logger" {
				p.inSource(f, n.Offset, "the level is read once, and the operator can change it at any time", "read it where it is used, or just log: what is below the level costs little")
			}
		}
		return true
	})
}

// ofFS is the name of a function of Node's fs, or empty.
func ofFS(callee *source.Node) string {
	imported := func(b *source.Binding) bool {
		return b != nil && (strings.TrimPrefix(b.Imported, "node:") == "fs" || strings.TrimPrefix(b.Imported, "node:") == "fs/promises")
	}
	switch callee.Kind {
	case source.Ident:
		if imported(callee.Binding) {
			return callee.Binding.ImportedAs
		}
	case source.Member:
		if _, root := callee.Path(); imported(root) {
			return callee.Name
		}
	}
	return ""
}

func missingFolders(p *pass) {
	makes := map[*source.File]bool{}
	p.calls(func(f *source.File, _, callee *source.Node) {
		if strings.HasPrefix(ofFS(callee), "mkdir") || callee.Kind == source.Ident && strings.Contains(strings.ToLower(callee.Name), "dir") {
			makes[f] = true // itself, or a function that is called as if it did
		}
	})
	p.calls(func(f *source.File, call, callee *source.Node) {
		switch ofFS(callee) {
		case "writeFile", "writeFileSync", "appendFile", "appendFileSync", "createWriteStream":
		default:
			return
		}
		if makes[f] || len(call.Args()) == 0 {
			return
		}
		if at := call.Args()[0].Value(); at != nil && at.Kind == source.Call && fromPort(at.Callee(), "data", "dataPath") {
			p.inSource(f, callee.Offset, "nobody makes the folder of the file: dataPath touches no disk", "mkdir its folder before, with recursive: true; or use ctx.data.fileStore")
		}
	})
}
