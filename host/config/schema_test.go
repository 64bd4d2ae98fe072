package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest"
	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
	"github.com/neuralis-dev/neuralis/manifest/jsonmodel"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

// TestSchemaFileIsCurrent makes the schema of the model and of its comments. It is made by a test and embedded,
// as the comments are not there when a program runs.
func TestSchemaFileIsCurrent(t *testing.T) {
	comments, err := jsonmodel.Comments(".")
	if err != nil {
		t.Fatal(err)
	}
	want := model().Schema(jsonmodel.Head{
		Title:       "Neuralis host config",
		Description: "What the operator of a host decides: " + File + ".",
		Comment:     "Generated from the Go model in package config. To make it again, run: go generate ./host/config",
		Closed:      true,
	}, comments)
	const file = "schema/host.schema.json"
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(Schema(), want) {
		t.Errorf("%s does not follow the model; run go generate ./host/config", file)
	}
	if missing := bytes.Count(want, []byte(`"properties"`)); missing == 0 {
		t.Error("the schema describes nothing")
	}
}

func validator(t testing.TB) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("host.schema.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("host.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// onlyModel reports whether all that a config was refused for is something that a schema can know.
func onlyModel(diagnostics manifest.Diagnostics) bool {
	return !slices.ContainsFunc(diagnostics, func(d manifest.Diagnostic) bool { return d.Rule == RuleHostConfigConflict })
}

// TestSchemaAndLoaderAgreeOnMutants changes a good config in random places and compares the verdicts. The random
// numbers are the same at each run.
func TestSchemaAndLoaderAgreeOnMutants(t *testing.T) {
	whole, err := os.ReadFile("testdata/whole.json")
	if err != nil {
		t.Fatal(err)
	}
	schema := validator(t)
	random := rand.New(rand.NewPCG(1, 2))
	verdicts, dir := map[bool]int{}, t.TempDir()
	for range 500 {
		var value any
		if err := json.Unmarshal(whole, &value); err != nil {
			t.Fatal(err)
		}
		for range 1 + random.IntN(2) {
			value = mutate(value, random)
		}
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		_, diagnostics := Parse(File, text, dir)
		if !onlyModel(diagnostics) {
			continue
		}
		doc, _ := jsondoc.Parse(text, jsondoc.DefaultLimits())
		verdicts[len(diagnostics) == 0]++
		if err := schema.Validate(doc.Root.Any()); (err == nil) != (len(diagnostics) == 0) {
			t.Fatalf("the loader says %v, the schema %v, of\n%s", diagnostics, err, text)
		}
	}
	if verdicts[true] < 30 || verdicts[false] < 30 {
		t.Errorf("the mutants are too much alike: %v", verdicts)
	}
}

// mutate changes one place of a JSON value: it is replaced, removed, doubled, or gets a member more.
func mutate(value any, random *rand.Rand) any {
	pool := []string{
		`null`, `true`, `1`, `1.5`, `-1`, `""`, `"a"`, `"first-party"`, `"trusted"`, `"Not Ok"`, `"../x"`, `"user"`, `"agent"`, `"a\u0000"`, `"é"`,
		`"` + strings.Repeat("a", 130) + `"`, `[]`, `["a"]`, `["a", "a"]`, `[1]`, `{}`, `{"id": "x"}`, `"*"`, `"a.*"`, `[{"id": "x", "path": "y"}]`,
	}
	replacement := func() any {
		var v any
		if err := json.Unmarshal([]byte(pool[random.IntN(len(pool))]), &v); err != nil {
			panic(err)
		}
		return v
	}
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 || random.IntN(8) == 0 {
			v[[]string{"id", "trust", "features", "owner", "limits", "a b"}[random.IntN(6)]] = replacement()
			return v
		}
		name := names[random.IntN(len(names))]
		if random.IntN(6) == 0 {
			delete(v, name)
		} else {
			v[name] = mutate(v[name], random)
		}
		return v
	case []any:
		if len(v) == 0 || random.IntN(6) == 0 {
			return append(v, replacement())
		}
		i := random.IntN(len(v))
		v[i] = mutate(v[i], random)
		return v
	}
	return replacement()
}

func FuzzParse(f *testing.F) {
	whole, err := os.ReadFile("testdata/whole.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	for _, test := range refusals() {
		f.Add([]byte(test.text))
	}
	schema := validator(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, source []byte) {
		c, diagnostics := Parse(File, source, dir)
		if (c == nil) != diagnostics.HasErrors() {
			t.Fatalf("config %v with %v", c, diagnostics)
		}
		for _, d := range diagnostics {
			if d.Rule == "" || d.Message == "" || d.Line < 1 || d.Column < 1 || strings.ContainsAny(d.Message, "\n\x00\x1b") {
				t.Errorf("%+v", d)
			}
		}
		doc, problems := jsondoc.Parse(source, jsondoc.DefaultLimits())
		if doc.Root == nil || len(problems) > 0 || !onlyModel(diagnostics) {
			return
		}
		if err := schema.Validate(doc.Root.Any()); (err == nil) != (c != nil) {
			t.Errorf("the loader says %v, the schema %v", diagnostics, err)
		}
	})
}
