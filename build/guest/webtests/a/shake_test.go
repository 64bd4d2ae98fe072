package webtests

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// exports are the globals the modules of this suite provide, with what a bundle
// that uses only one of them must not contain.
var exports = []struct{ module, name, without string }{
	{"encoding", "TextEncoder", "TextDecoder"},
	{"encoding", "TextDecoder", "encodeInto"},
	{"base64", "atob", "btoa"},
	{"url", "URLSearchParams", "xn--"},
	{"url", "URL", "ReadableStream"},
	{"urlpattern", "URLPattern", "URLSearchParams"},
	{"headers", "Headers", "ReadableStream"},
	{"blob", "Blob", "lastModified"},
	{"blob", "File", "FormData"},
	{"formdata", "FormData", "multipart"},
	{"streams", "ReadableStream", "Blob"},
	{"request", "Request", "statusText"},
	{"response", "Response", "referrerPolicy"},
	{"fetch", "fetch", "URLPattern"},
	{"buffer", "Buffer", "atob"},
}

// A module nobody uses must vanish from a bundle even when it is imported: the sandbox
// offers all of them to every package.
func TestUnusedModulesVanish(t *testing.T) {
	for _, e := range exports {
		t.Run(e.name, func(t *testing.T) {
			_, sizes := shaken(t, fmt.Sprintf("import { %s } from 'neuralis:web/%s';", e.name, e.module))
			for file, size := range sizes {
				if size > 0 && ours.MatchString(file) {
					t.Errorf("an unused %s leaves %d bytes of %s behind", e.name, size, file)
				}
			}
		})
	}
}

// ours matches the modules whose exports are listed above, and what they are made of.
var ours = regexp.MustCompile(`web/(encoding|base64|url|urlpattern|headers|blob|formdata|body|streams|request|response|fetch|buffer)[^/]*\.ts$`)

func TestModulesBundleOnlyWhatTheyNeed(t *testing.T) {
	for _, e := range exports {
		t.Run(e.name, func(t *testing.T) {
			code, _ := shaken(t, fmt.Sprintf("import { %s } from 'neuralis:web/%s'; globalThis.out = %s;", e.name, e.module, e.name))
			if strings.Contains(code, e.without) {
				t.Errorf("a bundle with %s alone contains %s", e.name, e.without)
			}
			t.Logf("%d bytes minified", len(code))
		})
	}
}

// shaken bundles an entry; it returns the code and how much of each file is in it.
func shaken(t *testing.T, entry string) (code string, sizes map[string]int) {
	t.Helper()
	built := api.Build(api.BuildOptions{
		Stdin:             &api.StdinOptions{Contents: entry, ResolveDir: ".", Loader: api.LoaderJS},
		Bundle:            true,
		Format:            api.FormatESModule,
		Target:            api.ES2024,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Metafile:          true,
		LogLevel:          api.LogLevelSilent,
		Plugins:           []api.Plugin{modules("")},
	})
	for _, message := range built.Errors {
		t.Fatalf("bundle: %+v %s", message.Location, message.Text)
	}
	var meta struct {
		Outputs map[string]struct {
			Inputs map[string]struct {
				BytesInOutput int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(built.Metafile), &meta); err != nil {
		t.Fatal(err)
	}
	sizes = map[string]int{}
	for _, output := range meta.Outputs {
		for file, input := range output.Inputs {
			sizes[file] += input.BytesInOutput
		}
	}
	return string(built.OutputFiles[0].Contents), sizes
}
