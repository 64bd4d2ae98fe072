package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

func manifestRules() []Rule {
	rule := func(id string, severity manifest.Severity, summary, todo, bad, good string, check func(*pass)) Rule {
		return Rule{ID: id, Severity: severity, Family: FamilyManifest, Summary: summary, Todo: todo, Bad: bad, Good: good, check: check}
	}
	const file = "-- neuralis.package.json --\n"
	return []Rule{
		rule("unknown-key", manifest.SeverityWarning, "the manifest, or a tool's `x-neuralis`, has a member that nothing reads", "correct or remove it",
			file+`{ "id": "demo", «"feature"»: [{ "id": "demo.read" }] }`+"\n", demo, unknownKeys),
		rule("reserved-id", manifest.SeverityError, "the name is in the scope of first-party packages, whose names hosts refuse elsewhere", "use a scope of your own; where the package is first-party, set `standing` in the settings",
			"-- package.json --\n"+`{ "name": «"@neuralis/demo"», "version": "1.0.0", "neuralis": { "id": "demo" } }`+"\n", demo, reservedNames),
		rule("package-version", manifest.SeverityWarning, "the version is none that npm takes", "write three numbers, such as `1.2.0`",
			"-- package.json --\n"+`{ "name": "demo", "version": «"v1"», "neuralis": {} }`+"\n", demo, checkVersion),
		rule("files-incomplete", manifest.SeverityError, "`files` of package.json leaves out a folder that the package needs, so the shipped package lacks it", "add the folder",
			"-- package.json --\n"+`{ "name": "demo", "version": "1.0.0", "files": «["docs"], "neuralis": {} }`+"\n-- docs/a.md --\n-- rules/a.md --\n",
			"-- package.json --\n"+`{ "name": "demo", "version": "1.0.0", "files": ["docs", "rules"], "neuralis": {} }`+"\n-- docs/a.md --\n-- rules/a.md --\n", checkFiles),
		rule("runtime-denied", manifest.SeverityWarning, "a package of a project has a runtime that needs first-party trust: hosts demote it (`untrusted-node`, `untrusted-mcp`) and run none of its code", "use `wasm`, or ask the operator to list the package among the builtins",
			"-- .neuralis-lint.json --\n{ \"standing\": \"project\" }\n"+file+`{ "id": "demo", "runtime": { "type": «"node"» } }`+"\n",
			"-- .neuralis-lint.json --\n{ \"standing\": \"first-party\" }\n"+file+`{ "id": "demo", "runtime": { "type": "node" } }`+"\n", deniedRuntimes),
		rule("provides-ignored", manifest.SeverityWarning, "a package of a project provides services of the platform, which hosts ignore", "remove `provides`",
			"-- .neuralis-lint.json --\n{ \"standing\": \"project\" }\n"+file+`{ "id": "demo", "provides": «["agent-directory"] }`+"\n",
			"-- .neuralis-lint.json --\n{ \"standing\": \"first-party\" }\n"+file+`{ "id": "demo", "provides": ["agent-directory"] }`+"\n", ignoredServices),
		rule("provides-reserved", manifest.SeverityError, "a package provides a service that only the platform does, or one that there is not", "remove it",
			file+`{ "id": "demo", "provides": [«"mcp-server"»] }`+"\n", file+`{ "id": "demo", "provides": ["runtime"] }`+"\n", reservedServices),
		rule("oauth-callback-overlap", manifest.SeverityError, "two prefixes of `oauth-callback` overlap, so that nobody can tell whose a callback is", "give each a prefix that begins no other",
			file+`{ "id": "demo", "provides": ["oauth-callback:acme", «"oauth-callback:acme-two"»] }`+"\n", file+`{ "id": "demo", "provides": ["oauth-callback:acme", "oauth-callback:zenith"] }`+"\n", overlappingCallbacks),
		rule("duplicate-declaration", manifest.SeverityError, "a list of the manifest has two entries of one id", "remove one of them",
			file+`{ "id": "demo", "credentials": [{ "id": "acme.key" }, { "id": «"acme.key"» }] }`+"\n", file+`{ "id": "demo", "credentials": [{ "id": "acme.key" }, { "id": "acme.token" }] }`+"\n", duplicateDeclarations),
		rule("feature-undeclared", manifest.SeverityWarning, "a feature is asked for that the package does not declare, so no role has it by default", "declare it in `features`, unless it is the platform's or another package's",
			file+`{ "id": "demo", "requires": { "accessFeature": «"demo.use"» } }`+"\n", file+`{ "id": "demo", "requires": { "accessFeature": "demo.use" }, "features": [{ "id": "demo.use" }] }`+"\n", undeclaredFeatures),
		rule("feature-unused", manifest.SeverityWarning, "a feature is declared that nothing asks for", "ask for it, or remove it",
			file+`{ "id": "demo", "features": [{ "id": «"demo.use"» }] }`+"\n", file+`{ "id": "demo", "requires": { "accessFeature": "demo.use" }, "features": [{ "id": "demo.use" }] }`+"\n", unusedFeatures),
		rule("grant-ignored", manifest.SeverityWarning, "`defaultRoleGrants` has a feature that the package does not declare, which hosts do not grant", "declare the feature, or leave granting it to the operator",
			file+`{ "id": "demo", "defaultRoleGrants": { "member": [«"demo.use"»] } }`+"\n",
			file+`{ "id": "demo", "requires": { "accessFeature": "demo.use" }, "features": [{ "id": "demo.use" }], "defaultRoleGrants": { "member": ["demo.use"] } }`+"\n", ignoredGrants),
		rule("config-default", manifest.SeverityError, "the default of a setting is not of the setting's type", "change the default or the type",
			file+`{ "id": "demo", "configSettings": [{ "key": "demo.size", "type": "integer", "default": «"20"» }] }`+"\n",
			file+`{ "id": "demo", "configSettings": [{ "key": "demo.size", "type": "integer", "default": 20 }] }`+"\n", configDefaults),
		rule("data-layout", manifest.SeverityWarning, "`dataLayout` names a zone or a folder twice", "name each once",
			file+`{ "id": "demo", "dataLayout": [{ "zone": "demo", "dirs": ["items"], "perAgent": [«"items/"»] }] }`+"\n",
			file+`{ "id": "demo", "dataLayout": [{ "zone": "demo", "dirs": ["items"], "perAgent": ["drafts"] }] }`+"\n", dataLayouts),
		rule("handler-missing", manifest.SeverityError, "an event or a channel is declared, and has no file that handles it", "add the file, or remove the declaration",
			"-- package.json --\n"+`{ "name": "demo", "version": "1.0.0", "neuralis": { "runtime": { "type": "wasm" }, "events": [{ "name": «"order"» }] } }`+"\n",
			"-- package.json --\n"+`{ "name": "demo", "version": "1.0.0", "neuralis": { "runtime": { "type": "wasm" }, "events": [{ "name": "order" }] } }`+"\n-- src/events/order.ts --\nexport default () => {};\n", missingHandlers),
		rule("handler-undeclared", manifest.SeverityWarning, "a file in `src/events/` or `src/channels/` handles what the manifest does not declare", "declare it in `events` or `channels`",
			coded+"-- src/channels/chat.ts --\n«export default () => {};\n",
			"-- package.json --\n"+`{ "name": "demo", "version": "1.0.0", "neuralis": { "runtime": { "type": "wasm" }, "channels": [{ "name": "chat", "feature": "demo.chat" }], "features": [{ "id": "demo.chat" }] } }`+"\n-- src/channels/chat.ts --\nexport default () => {};\n", undeclaredHandlers),
	}
}

func reservedNames(p *pass) {
	if p.standing == StandingFirstParty {
		return
	}
	holders := []*jsondoc.Value{p.manifest}
	if p.pkg.ManifestFile == manifest.PackageJSON {
		holders = append(holders, p.doc.Root)
	}
	for _, holder := range holders {
		if name, at := text(holder, "name"); strings.HasPrefix(strings.ToLower(strings.TrimSpace(name)), "@neuralis/") {
			p.inManifest(at, "names in the scope @neuralis belong to first-party packages: a host refuses others", "give it a name in a scope of your own")
		}
	}
}

// version is a version as https://semver.org has it.
var version = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

func checkVersion(p *pass) {
	holders := []*jsondoc.Value{p.manifest}
	if p.pkg.ManifestFile == manifest.PackageJSON {
		holders = append(holders, p.doc.Root)
	}
	for _, holder := range holders {
		if v, at := text(holder, "version"); at != nil && !version.MatchString(v) {
			p.inManifest(at, fmt.Sprintf("%q is no version: npm wants three numbers", v), `"1.0.0" would do`)
			if fixed, ok := mended(v); ok {
				p.fix(p.doc.Source, at.Start, at.End, `"`+fixed+`"`)
			}
		}
	}
}

// mended is the version that somebody meant who wrote v1.2.3 or 1.2.
func mended(v string) (string, bool) {
	v = strings.TrimPrefix(strings.TrimSpace(v), "v")
	for range 3 {
		if version.MatchString(v) {
			return v, true
		}
		v += ".0"
	}
	return "", false
}

func checkFiles(p *pass) {
	if p.pkg.ManifestFile != manifest.PackageJSON || p.pkg.NPM.Files == nil {
		return
	}
	at := p.doc.Root.Get("files")
	need := []struct {
		folder string
		there  bool
	}{
		{"dist", p.code() && (len(p.pkg.ToolSources)+len(p.pkg.RouteSources)+len(p.pkg.ChannelSources)+len(p.pkg.EventSources) > 0 || p.pkg.Lifecycle != "")},
		{"tools", slices.ContainsFunc(p.pkg.Tools, func(t manifest.Tool) bool { return t.File != "" })},
		{"skills", len(p.pkg.Skills) > 0},
		{"rules", len(p.pkg.Rules) > 0}, {"instructions", len(p.pkg.Instructions) > 0}, {"agents", len(p.pkg.Agents) > 0},
		{"workflows", len(p.pkg.Workflows) > 0}, {"docs", len(p.pkg.Docs) > 0}, {"team", len(p.pkg.Team) > 0},
	}
	for _, n := range need {
		if n.there && at != nil && !ships(p.pkg.NPM.Files, n.folder) {
			p.inManifest(at, fmt.Sprintf("%q is not among the files that npm ships, and the package has content in it", n.folder), fmt.Sprintf("add %q", n.folder))
			if at.Kind != jsondoc.Array {
				continue
			}
			if last := len(at.Items); last > 0 {
				p.fix(p.doc.Source, at.Items[last-1].End, at.Items[last-1].End, fmt.Sprintf(", %q", n.folder))
			} else {
				p.fix(p.doc.Source, at.Start+1, at.Start+1, fmt.Sprintf("%q", n.folder))
			}
		}
	}
}

// ships reports whether npm would ship a folder, or something of it.
func ships(files []string, folder string) bool {
	for _, f := range files {
		if strings.HasPrefix(f, "!") {
			continue
		}
		f = strings.TrimPrefix(strings.TrimPrefix(f, "."), "/")
		first, _, _ := strings.Cut(f, "/")
		if ok, err := path.Match(first, folder); f == "" || first == "**" || err == nil && ok {
			return true
		}
	}
	return false
}

func deniedRuntimes(p *pass) {
	if p.standing != StandingProject {
		return
	}
	if kind, at := text(p.manifest.Get("runtime"), "type"); kind == string(manifest.RuntimeNode) || kind == string(manifest.RuntimeMCP) {
		p.inManifest(at, fmt.Sprintf("code of the kind %s runs in first-party packages only: in a project the package is partial, with the reason untrusted-%s, and no handler answers", kind, kind),
			"make it a wasm package, or ask the operator to list its folder among the builtins")
	}
}

func ignoredServices(p *pass) {
	if v := p.manifest.Get("provides"); p.standing == StandingProject && v != nil && len(v.Items) > 0 {
		p.inManifest(v, "services of the platform are provided by first-party packages only; what this one provides is ignored", "remove it")
	}
}

// services are what packages may provide.
func services() []string {
	return []string{"runtime", "session-ticket-verifier", "agent-directory", "channel-gateway", "package-source-roots"}
}

func reservedServices(p *pass) {
	for _, item := range texts(p.manifest.Get("provides")) {
		switch {
		case item.Text == "mcp-server":
			p.inManifest(item, "mcp-server is the platform's own: no package provides it", "remove it; tools are served over MCP without it")
		case strings.HasPrefix(item.Text, callback), slices.Contains(services(), item.Text):
		case manifest.ValidID(item.Text): // what cannot be a service at all was reported
			p.inManifest(item, fmt.Sprintf("there is no service %q", item.Text), "one of "+quoted(services())+", or \"oauth-callback:<prefix>\"")
		}
	}
}

// callback begins the services that are callbacks.
const callback = "oauth-callback:"

func overlappingCallbacks(p *pass) {
	var before []string
	for _, item := range texts(p.manifest.Get("provides")) {
		prefix, ok := strings.CutPrefix(item.Text, callback)
		if !ok {
			continue
		}
		for _, other := range before {
			if other != prefix && (strings.HasPrefix(prefix, other) || strings.HasPrefix(other, prefix)) {
				p.inManifest(item, fmt.Sprintf("the prefix %q overlaps with %q", prefix, other), "give each a prefix that begins no other")
				break
			}
		}
		before = append(before, prefix)
	}
}

func duplicateDeclarations(p *pass) {
	for _, list := range []struct{ member, key string }{
		{"features", "id"}, {"credentials", "id"}, {"configSettings", "key"}, {"connectors", "id"}, {"events", "name"}, {"channels", "name"},
	} {
		seen := map[string]*jsondoc.Value{}
		for _, item := range objects(p.manifest.Get(list.member)) {
			name, at := text(item, list.key)
			if at == nil {
				continue
			}
			if first := seen[name]; first != nil {
				line, _ := p.doc.Position(first.Start)
				p.inManifest(at, fmt.Sprintf("%q is in %s twice; the first one is at line %d", name, list.member, line), "remove one of them")
				continue
			}
			seen[name] = at
		}
	}
}

// declared are the names that a list of the manifest declares.
func (p *pass) declared(member, key string) map[string]bool {
	names := map[string]bool{}
	for _, item := range objects(p.manifest.Get(member)) {
		if name, at := text(item, key); at != nil {
			names[name] = true
		}
	}
	return names
}

func ignoredGrants(p *pass) {
	declared := p.declared("features", "id")
	grants := p.manifest.Get("defaultRoleGrants")
	if grants == nil {
		return
	}
	for _, role := range grants.Members {
		for _, item := range texts(role.Value) {
			if !declared[item.Text] && manifest.ValidFeature(item.Text) {
				p.inManifest(item, fmt.Sprintf("%q is not granted to the role %q: the package does not declare the feature", item.Text, role.Name),
					near(item.Text, declared, "declare it in features, or let the operator grant it"))
			}
		}
	}
}

func configDefaults(p *pass) {
	for _, item := range objects(p.manifest.Get("configSettings")) {
		kind, at := text(item, "type")
		value := item.Get("default")
		if at == nil || value == nil {
			continue
		}
		if found := kindOf(value); found != kind && !(kind == "number" && found == "integer") && slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object"}, kind) {
			p.inManifest(value, fmt.Sprintf("the default is %s, and the setting's type is %s", value.Kind, kind), "change one of them")
		}
	}
}

// whole is a number without a fraction.
var whole = regexp.MustCompile(`^-?\d+(\.0+)?$`)

// kindOf is the kind of a value as JSON Schema calls it.
func kindOf(v *jsondoc.Value) string {
	switch v.Kind {
	case jsondoc.String:
		return "string"
	case jsondoc.Bool:
		return "boolean"
	case jsondoc.Array:
		return "array"
	case jsondoc.Object:
		return "object"
	case jsondoc.Number:
		if whole.MatchString(v.Text) {
			return "integer"
		}
		return "number"
	}
	return "null"
}

func dataLayouts(p *pass) {
	zones := map[string]bool{}
	for _, zone := range objects(p.manifest.Get("dataLayout")) {
		if name, at := text(zone, "zone"); at != nil {
			if zones[strings.ToLower(name)] {
				p.inManifest(at, fmt.Sprintf("the zone %q is there twice", name), "put its folders into one entry")
			}
			zones[strings.ToLower(name)] = true
		}
		seen := map[string]string{}
		for _, list := range []string{"dirs", "perAgent", "machineWritten"} {
			for _, item := range texts(zone.Get(list)) {
				folder := path.Clean(item.Text)
				switch first := seen[folder]; {
				case first == list:
					p.inManifest(item, fmt.Sprintf("the folder %q is in %s twice", folder, list), "remove one")
				case first != "" && (first == "perAgent" || list == "perAgent"):
					p.inManifest(item, fmt.Sprintf("the folder %q is in %s and in %s: it cannot be for all and for each agent", folder, first, list), "remove one")
				}
				seen[folder] = list
			}
		}
	}
}

// handled are the lists of the manifest that have a file for each entry.
func (p *pass) handled() []struct {
	member, folder string
	files          []string
} {
	return []struct {
		member, folder string
		files          []string
	}{
		{"events", "src/events/", p.pkg.EventSources},
		{"channels", "src/channels/", p.pkg.ChannelSources},
	}
}

func missingHandlers(p *pass) {
	if !p.wasm() {
		return // others may have it as JavaScript, or in their process
	}
	for _, list := range p.handled() {
		for _, item := range objects(p.manifest.Get(list.member)) {
			name, at := text(item, "name")
			if at != nil && manifest.ValidFeature(name) && !slices.Contains(list.files, list.folder+name+".ts") {
				p.inManifest(at, fmt.Sprintf("there is no %s%s.ts to handle it", list.folder, name), near(name, stems(list.files), "add the file, or remove the entry"))
			}
		}
	}
}

func stems(files []string) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		names[strings.TrimSuffix(path.Base(f), ".ts")] = true
	}
	return names
}

func undeclaredHandlers(p *pass) {
	for _, list := range p.handled() {
		declared := p.declared(list.member, "name")
		for _, file := range list.files {
			if name := strings.TrimSuffix(path.Base(file), ".ts"); !declared[name] {
				p.inFile(file, fmt.Sprintf("the manifest declares no %q in %s, so nobody is offered it", name, list.member), near(name, declared, fmt.Sprintf("add { \"name\": %q } to %s", name, list.member)))
			}
		}
	}
}
