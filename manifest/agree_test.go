package manifest

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/neuralis-dev/neuralis/manifest/jsondoc"
)

// mutate changes one place of a JSON value: it is replaced, removed, doubled, or gets a member more.
func mutate(value any, random *rand.Rand) any {
	pool := []string{
		`null`, `true`, `1`, `1.5`, `-0`, `""`, `"a"`, `"catalog.read"`, `"Not Ok"`, `"../x"`, `"./x/"`, `"mcp"`, `"wasm"`, `"con"`, `"*.a.example"`,
		`"a\u0000"`, `"é"`, `"` + strings.Repeat("a", 130) + `"`, `[]`, `["a"]`, `["a", "a"]`, `[1]`, `{}`, `{"id": "x"}`, `{"type": "mcp"}`, `{"command": "x"}`,
	}
	replacement := func() any {
		var v any
		if err := json.Unmarshal([]byte(pool[random.IntN(len(pool))]), &v); err != nil {
			panic(err)
		}
		return v
	}
	if random.IntN(5) == 0 {
		return replacement()
	}
	switch v := value.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) == 0 || random.IntN(8) == 0 {
			v[[]string{"id", "type", "title", "name", "entry", "x-neuralis", "a b"}[random.IntN(7)]] = replacement()
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
		if random.IntN(6) == 0 {
			return append(v, v[i])
		}
		v[i] = mutate(v[i], random)
		return v
	}
	return replacement()
}

// TestLoaderAndSchemaAgreeOnMutants changes good documents in random places and compares the verdicts. The
// random numbers are the same at each run.
func TestLoaderAndSchemaAgreeOnMutants(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/load/whole.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := func(name string) []byte {
		for _, f := range archive.Files {
			if f.Name == name {
				return f.Data
			}
		}
		t.Fatalf("no %s", name)
		return nil
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(text("pkg/package.json"), &whole); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		text   []byte
		schema *jsonschema.Schema
		decode func(doc *jsondoc.Document) []jsondoc.Problem
	}{
		{"manifest", whole[ManifestMember], manifestValidator(t), func(doc *jsondoc.Document) []jsondoc.Problem {
			var m Manifest
			return manifestModel().Decode(doc, doc.Root, &m)
		}},
		{"tool", text("pkg/tools/catalog_list.json"), toolValidator(t), func(doc *jsondoc.Document) []jsondoc.Problem {
			var f toolFile
			return toolModel().Decode(doc, doc.Root, &f)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			verdicts := map[bool]int{}
			for range 3000 {
				var value any
				if err := json.Unmarshal(test.text, &value); err != nil {
					t.Fatal(err)
				}
				for range 1 + random.IntN(3) {
					value = mutate(value, random)
				}
				text, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				doc, problems := jsondoc.Parse(text, jsondoc.DefaultLimits())
				if len(problems) > 0 {
					t.Fatal(problems)
				}
				problems = test.decode(doc)
				verdicts[len(problems) == 0]++
				if err := test.schema.Validate(doc.Root.Any()); (err == nil) != (len(problems) == 0) {
					t.Fatalf("the loader says %v, the schema %v, of\n%s", problems, err, text)
				}
			}
			if verdicts[true] < 300 || verdicts[false] < 300 {
				t.Errorf("the mutants are too much alike: %v", verdicts)
			}
		})
	}
}
