package lint

import (
	"fmt"
	"slices"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
)

func lifecycleRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		const file = "-- src/lifecycle.ts --\n"
		return Rule{ID: id, Severity: severity, Family: FamilyLifecycle, Summary: summary, Todo: todo, Bad: coded + file + bad, Good: coded + file + good, check: check}
	}
	const init = "export const init = () => ({});\n"
	return []Rule{
		rule("lifecycle-init", manifest.SeverityError, "`src/lifecycle.ts` has no `init`", "export it: `export function init(ctx) { return {}; }`",
			"«export function start() {}\n", init+"export function start() {}\n", lifecycleInit),
		rule("lifecycle-export", manifest.SeverityWarning, "`src/lifecycle.ts` exports a name that is no lifecycle export: nobody calls it", "correct or remove it; move what others import to a module of its own",
			init+"export function «onStart»() {}\n", init+"export function start() {}\n", lifecycleExports),
		rule("lifecycle-handler", manifest.SeverityError, "a lifecycle export is no function", "export a function",
			"export const «init» = { items: [] };\n", init, lifecycleHandlers),
		{ID: "tool-handler", Severity: manifest.SeverityError, Family: FamilyTools, Summary: "a tool's file has no default export, or one that is no function", Todo: "`export default (args, ctx) => …`",
			Bad: coded + schema + "-- src/tools/list.ts --\n«export const list = () => ({ content: [] });\n", Good: coded + schema + handler, check: toolHandlers},
	}
}

// hooks are the exports of src/lifecycle.ts.
func hooks() []string {
	return []string{"init", "api", "start", "stop", "onBootstrapComplete", "provisionProject", "deprovisionProject", "revokePrincipal"}
}

func (p *pass) lifecycle() *source.File {
	if !p.code() {
		return nil
	}
	return p.sources[p.pkg.Lifecycle]
}

func lifecycleInit(p *pass) {
	if f := p.lifecycle(); f != nil && !open(f) {
		if _, ok := export(f, "init"); !ok {
			p.inFile(f.Name, "the lifecycle has no init, and nothing of it runs without", "add export function init(ctx) { return {}; }")
		}
	}
}

func lifecycleExports(p *pass) {
	f := p.lifecycle()
	if f == nil {
		return
	}
	names := map[string]bool{}
	for _, name := range hooks() {
		names[name] = true
	}
	for _, e := range f.Exports {
		if e.Name != "*" && !names[e.Name] {
			p.inSource(f, e.Offset, fmt.Sprintf("%q is no lifecycle export: nobody calls it", e.Name), near(e.Name, names, "remove it; what other files import belongs into a module of its own"))
		}
	}
}

func lifecycleHandlers(p *pass) {
	f := p.lifecycle()
	if f == nil {
		return
	}
	for _, e := range f.Exports {
		if is := never(e.Value); is != "" && slices.Contains(hooks(), e.Name) {
			p.inSource(f, e.Offset, fmt.Sprintf("%s must be a function, and is %s", e.Name, is), "")
		}
	}
}

func toolHandlers(p *pass) {
	if !p.code() {
		return
	}
	for _, file := range p.pkg.ToolSources {
		f := p.sources[file]
		if f == nil {
			continue
		}
		e, ok := export(f, "default")
		if !ok {
			p.inFile(f.Name, "the tool has no handler: the file has no default export", "add export default (args, ctx) => …")
			continue
		}
		if is := never(e.Value); is != "" {
			p.inSource(f, e.Offset, fmt.Sprintf("the default export must be a function (args, ctx) => result, and is %s", is), "")
		}
	}
}
