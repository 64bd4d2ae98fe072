package lint

import (
	"fmt"
	"net/url"

	"github.com/neuralis-dev/neuralis/manifest"
)

func connectorRules() []Rule {
	rule := func(id, summary, todo, bad, good string, check func(*pass)) Rule {
		return Rule{ID: id, Severity: manifest.SeverityError, Family: FamilyConnectors, Summary: summary, Todo: todo, check: check,
			Bad:  "-- neuralis.package.json --\n{ \"id\": \"demo\", \"connectors\": [" + bad + "] }\n",
			Good: "-- neuralis.package.json --\n{ \"id\": \"demo\", \"connectors\": [" + good + "] }\n"}
	}
	const good = `{ "id": "acme", "type": "mcp", "transport": "http", "url": "https://acme.example/mcp" }`
	return []Rule{
		rule("connector-transport", "a connector of the type `mcp` has no transport, which means `stdio`, or says `stdio`: packages may not start programs", "use `http` or `sse`, with a `url`",
			`{ "id": "acme", "type": «"mcp"», "url": "https://acme.example/mcp" }`, good, connectorTransports),
		rule("connector-command", "a connector names a program to start, which packages may not", "remove `command` and `args`, and name a server with `url`",
			`{ "id": "acme", "type": "mcp", "transport": "http", "url": "https://acme.example/mcp", «"command"»: "npx" }`, good, connectorCommands),
		rule("connector-url", "a connector of the type `mcp` has no address, or one that is no `http` or `https` URL", "add `url`",
			`«{» "id": "acme", "type": "mcp", "transport": "http" }`, good, connectorURLs),
	}
}

func connectorTransports(p *pass) {
	for _, c := range objects(p.manifest.Get("connectors")) {
		kind, at := text(c, "type")
		transport, given := text(c, "transport")
		switch {
		case transport == "stdio":
			p.inManifest(given, "a package may not start a program: stdio is for connectors of the operator", `use "http" or "sse", with a url`)
		case kind == "mcp" && c.Get("transport") == nil:
			p.inManifest(at, "an mcp connector without a transport means stdio, and a package may not start a program", `add "transport": "http" and a url`)
		}
	}
}

func connectorCommands(p *pass) {
	for _, c := range objects(p.manifest.Get("connectors")) {
		if m := c.Member("command"); m != nil {
			p.keyInManifest(m, "a package may not start a program", "remove command and args, and name a server with url")
		}
	}
}

func connectorURLs(p *pass) {
	for _, c := range objects(p.manifest.Get("connectors")) {
		kind, _ := text(c, "type")
		address, at := text(c, "url")
		if transport, _ := text(c, "transport"); kind != "mcp" || transport == "stdio" {
			continue
		}
		switch u, err := url.Parse(address); {
		case c.Get("url") == nil && c.Get("command") == nil:
			p.inManifest(c, "the connector has no address", `add "url": "https://…"`)
		case at != nil && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""):
			p.inManifest(at, fmt.Sprintf("%q is no address of a server", address), "write a whole address that begins with https://")
		}
	}
}
