package lint

import (
	"fmt"
	"strings"

	"github.com/neuralis-dev/neuralis/lint/source"
	"github.com/neuralis-dev/neuralis/manifest"
)

func portRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		return Rule{ID: id, Severity: severity, Family: FamilyPorts, Summary: summary, Todo: todo, Bad: bad, Good: good, check: check}
	}
	const keyed = `-- package.json --
{
  "name": "@acme/demo", "version": "1.0.0",
  "neuralis": {
    "id": "demo", "runtime": { "type": "wasm" },
    "credentials": [{ "id": "acme.key" }],
    "configSettings": [{ "key": "demo.size", "type": "integer", "default": 20 }]
  }
}
`
	tool := func(body string) string { return keyed + schema + "-- src/tools/list.ts --\n" + body }
	return []Rule{
		rule("credential-undeclared", manifest.SeverityError, "code asks for a credential that the manifest does not declare, so nobody can enter it", "declare it in `credentials`",
			tool("export default async (args, ctx) => ({ content: [], key: await ctx.credentials.resolveCredential(«'acme.token'») });\n"),
			tool("export default async (args, ctx) => ({ content: [], key: await ctx.credentials.resolveCredential('acme.key') });\n"), undeclaredCredentials),
		rule("config-undeclared", manifest.SeverityError, "code reads a setting that the manifest does not declare, which throws", "declare it in `configSettings`",
			tool("export default (args, { config }) => ({ content: [], size: config.get(«'demo.sise'») });\n"),
			tool("export default (args, { config }) => ({ content: [], size: config.get('demo.size') });\n"), undeclaredSettings),
		rule("credential-kept", manifest.SeverityWarning, "a credential is resolved in `init`, where there is no caller yet, and kept for all calls", "resolve it in each call",
			keyed+"-- src/lifecycle.ts --\nexport async function init(ctx) {\n  return { key: await ctx.credentials.«resolveCredential»('acme.key') };\n}\n",
			keyed+"-- src/lifecycle.ts --\nexport function init(ctx) {\n  return { key: () => ctx.credentials.resolveCredential('acme.key') };\n}\n", keptCredentials),
		rule("credential-kind", manifest.SeverityWarning, "`resolveForKind` is reserved, and its answer is always empty", "ask for each credential with `resolveCredential`",
			tool("export default async (args, ctx) => ({ content: [], keys: await ctx.credentials.«resolveForKind»('acme') });\n"),
			tool("export default async (args, ctx) => ({ content: [], key: await ctx.credentials.resolveCredential('acme.key') });\n"), credentialKinds),
		rule("process-env", manifest.SeverityError, "code reads `process.env`: there is no environment in the sandbox", "`ctx.config.get` for settings, `ctx.credentials.resolveCredential` for secrets",
			tool("export default () => ({ content: [], home: «process».env.HOME });\n"),
			tool("export default (args, ctx) => ({ content: [], size: ctx.config.get('demo.size') });\n"), environment),
	}
}

// calls calls visit for each call in the code of the package.
func (p *pass) calls(visit func(f *source.File, call, callee *source.Node)) {
	if !p.code() {
		return
	}
	for _, file := range p.order {
		f := p.sources[file]
		f.Root.Walk(func(n *source.Node) bool {
			if n.Kind == source.Call {
				if callee := n.Callee(); callee != nil {
					visit(f, n, callee)
				}
			}
			return true
		})
	}
}

// fromPort reports whether a call is of a method of a port of ctx: ctx.credentials.resolveCredential(…), or the same with
// credentials or the method taken out of ctx before.
func fromPort(callee *source.Node, port, method string) bool {
	switch {
	case callee.Kind == source.Ident:
		return callee.Name == method && unpacked(callee.Binding)
	case callee.Kind != source.Member || callee.Name != method:
		return false
	}
	switch of := callee.Kids[0].Bare(); {
	case of == nil:
		return false
	case of.Kind == source.Member:
		_, root := of.Path()
		return of.Name == port && (root == nil || !root.Global && root.Imported == "")
	case of.Kind == source.Ident && strings.TrimRight(of.Name, "0123456789") == port:
		return unpacked(of.Binding) || taken(of.Binding, port)
	}
	return false
}

// unpacked reports whether a name is declared by a pattern, as { config } is.
func unpacked(b *source.Binding) bool {
	if b == nil || b.Decl == nil {
		return false
	}
	for at := b.Decl.Parent; at != nil; at = at.Parent {
		switch at.Kind {
		case source.Property, source.Pattern:
			if at.Kind == source.Pattern && at.Name == "{" {
				return true
			}
		default:
			return false
		}
	}
	return false
}

// taken reports whether a name was given a member of that name: const config = ctx.config.
func taken(b *source.Binding, port string) bool {
	init := (*source.Node)(nil)
	if b != nil {
		init = b.Init.Bare()
	}
	return init != nil && init.Kind == source.Member && init.Name == port
}

func undeclaredCredentials(p *pass) {
	p.undeclaredPort("credentials", "resolveCredential", p.declared("credentials", "id"),
		"the manifest declares no credential %q, so there is never a value", "declare it in credentials")
}

func undeclaredSettings(p *pass) {
	p.undeclaredPort("config", "get", p.declared("configSettings", "key"),
		"the manifest declares no setting %q, and asking for it throws", "declare it in configSettings")
}

func (p *pass) undeclaredPort(port, method string, declared map[string]bool, message, hint string) {
	p.calls(func(f *source.File, call, callee *source.Node) {
		if !fromPort(callee, port, method) || len(call.Args()) == 0 {
			return
		}
		arg := call.Args()[0]
		if id, ok := arg.Constant(); ok && !declared[id] {
			p.inSource(f, arg.Bare().Offset, fmt.Sprintf(message, id), near(id, declared, hint))
		}
	})
}

func keptCredentials(p *pass) {
	init := p.init()
	p.calls(func(f *source.File, call, callee *source.Node) {
		if fromPort(callee, "credentials", "resolveCredential") && (directlyIn(call, init) || topLevel(call)) {
			p.inSource(f, callee.Offset, "the credential is resolved once for all callers, before there is one", "resolve it in each call; the state can hold a function that does")
		}
	})
}

func credentialKinds(p *pass) {
	p.calls(func(f *source.File, _, callee *source.Node) {
		if fromPort(callee, "credentials", "resolveForKind") {
			p.inSource(f, callee.Offset, "resolveForKind is reserved, and its answer is always empty", "ask for each credential with resolveCredential")
		}
	})
}

func environment(p *pass) {
	if !p.wasm() {
		return
	}
	files, _ := p.reached()
	for _, f := range files {
		checked := checkedNames(f)
		f.Root.Walk(func(n *source.Node) bool {
			if n.Kind != source.Member || n.Name != "env" || checked["process"] {
				return true
			}
			of := n.Kids[0].Bare()
			if of == nil || of.Kind != source.Ident || of.Name != "process" || !of.Binding.Global {
				return true
			}
			if n.Parent != nil && n.Parent.Kind == source.Member && n.Parent.Name == "NODE_ENV" {
				return true // the bundler replaces it
			}
			p.inSource(f, of.Offset, "there is no environment in the sandbox", "ctx.config.get for settings, ctx.credentials.resolveCredential for secrets")
			return true
		})
	}
}

// checkedNames are the globals that a file looks for before it uses them.
func checkedNames(f *source.File) map[string]bool {
	names := map[string]bool{}
	f.Root.Walk(func(n *source.Node) bool {
		if n.Kind == source.Unary && n.Name == "typeof" && len(n.Kids) > 0 && n.Kids[0].Kind == source.Ident {
			names[n.Kids[0].Name] = true
		}
		return true
	})
	return names
}
