package lint

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/neuralis-dev/neuralis/manifest"
)

// The families of rules, in the order of the manual.
const (
	FamilyLoading    = "Loading"
	FamilyManifest   = "Manifest"
	FamilyTools      = "Tools"
	FamilyConnectors = "Connectors"
	FamilySkills     = "Skills"
	FamilyRoutes     = "Routes"
	FamilyLifecycle  = "Lifecycle"
	FamilyPorts      = "Credentials and settings in code"
	FamilySandbox    = "Sandbox"
	FamilyData       = "Data and logging"
	FamilyOutput     = "Built output"
	FamilyLint       = "The linter itself"
)

// Rule is one thing that is checked.
type Rule struct {
	// ID is what diagnostics call the rule, and what `neuralis explain` takes.
	ID string
	// Severity is what its findings are, unless settings say otherwise.
	Severity manifest.Severity
	// Family is one of the families above.
	Family string
	// Summary says what happened, as a phrase: "a tool has no description".
	Summary string
	// Todo says what to do about it.
	Todo string
	// Bad is a package that the rule finds fault with, and Good is how it is meant to be. Both are txtar archives; in Bad, «
	// and » stand around each place that is reported. A package.json that is left out is that of a package without code
	// called demo. Both are empty for rules about what no text can show.
	Bad, Good string
	// Fixable says that there is a change which is safe to make; see [Fix].
	Fixable bool

	check func(*pass)
}

// Rules returns all rules in the order of the manual.
func Rules() []Rule {
	rules := slices.Concat(
		loadingRules(),
		manifestRules(),
		toolRules(),
		connectorRules(),
		skillRules(),
		routeRules(),
		lifecycleRules(),
		portRules(),
		sandboxRules(),
		dataRules(),
		outputRules(),
		ownRules(),
	)
	for i := range rules {
		switch rules[i].ID {
		case manifest.RuleByteOrderMark, manifest.RuleTrustClaim, "package-version", "files-incomplete", unusedRule:
			rules[i].Fixable = true
		}
	}
	return rules
}

// ruleIDs are the ids of rules, for telling a name that is none.
func ruleIDs(rules []Rule) []string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.ID
	}
	return ids
}

// Examples are the examples of a rule as people read them: what is reported is underlined.
func (r Rule) Examples() (bad, good string) {
	var b strings.Builder
	for line := range strings.Lines(r.Bad) {
		before, rest, marked := strings.Cut(line, "«")
		meant, after, closed := strings.Cut(rest, "»")
		if !marked {
			b.WriteString("    " + line)
			continue
		}
		b.WriteString("    " + before + meant + after + "    " + strings.Repeat(" ", utf8.RuneCountInString(before)))
		if !closed {
			meant = "^"
		}
		b.WriteString(strings.Repeat("^", utf8.RuneCountInString(meant)) + "\n")
	}
	var g strings.Builder
	for line := range strings.Lines(r.Good) {
		g.WriteString("    " + line)
	}
	return b.String(), g.String()
}
