package interop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/neuralis-dev/neuralis/host/sandbox"
)

// call is one call of an export; outcome is what came of it, either one or the other.
type call struct {
	Export string `json:"export"`
	Input  string `json:"input"`
}

type outcome struct {
	OK    string `json:"ok,omitempty"`
	Error string `json:"error,omitempty"`
}

// A foreign host runs calls: each list in an instance of its own.
type foreignHost func(t *testing.T, module string, instances [][]call) [][]outcome

// hosts are all there are, by name.
var hosts = map[string]foreignHost{"node": inNode, "go": inGo, "sandbox": inSandbox}

func inNode(t *testing.T, module string, instances [][]call) [][]outcome {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not on the path")
	}
	install(t, "node")
	job, err := json.Marshal(map[string]any{"module": module, "instances": instances})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "job.json")
	if err := os.WriteFile(file, job, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, "--no-warnings", filepath.Join("node", "run.mjs"), file)
	cmd.Stderr = t.Output()
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var outcomes [][]outcome
	if err := json.Unmarshal(output, &outcomes); err != nil {
		t.Fatalf("node printed %.200q: %v", output, err)
	}
	return outcomes
}

// inGo uses the SDK as its documentation shows it.
func inGo(t *testing.T, module string, instances [][]call) [][]outcome {
	t.Helper()
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(shared.cacheDir)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close(ctx)
	var outcomes [][]outcome
	for _, calls := range instances {
		memory := newMemory()
		host := extism.NewHostFunctionWithStack("neuralis_host", func(_ context.Context, p *extism.CurrentPlugin, stack []uint64) {
			request, err := p.ReadBytes(stack[0])
			if err != nil {
				panic(err)
			}
			if stack[0], err = p.WriteBytes(memory.Answer(ctx, request)); err != nil {
				panic(err)
			}
		}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
		plugin, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmFile{Path: module}}}, extism.PluginConfig{
			EnableWasi:    true,
			RuntimeConfig: wazero.NewRuntimeConfig().WithCompilationCache(cache),
			ModuleConfig:  wazero.NewModuleConfig().WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader),
		}, []extism.HostFunction{host})
		if err != nil {
			t.Fatal(err)
		}
		plugin.SetLogger(func(extism.LogLevel, string) {})
		var results []outcome
		for _, c := range calls {
			_, output, err := plugin.Call(c.Export, []byte(c.Input))
			results = append(results, outcomeOf(output, err))
		}
		plugin.Close(ctx)
		outcomes = append(outcomes, results)
	}
	return outcomes
}

// inSandbox is the production host's way: a shared core, and an image.
func inSandbox(t *testing.T, module string, instances [][]call) [][]outcome {
	t.Helper()
	ctx := context.Background()
	data, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := shared.engine.Load(ctx, data, sandbox.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Close(ctx)
	var outcomes [][]outcome
	for _, calls := range instances {
		instance, err := plugin.Instance(ctx)
		if err != nil {
			t.Fatal(err)
		}
		memory := newMemory()
		var results []outcome
		for _, c := range calls {
			output, err := instance.Call(ctx, c.Export, []byte(c.Input), memory)
			results = append(results, outcomeOf(output, err))
		}
		instance.Close(ctx)
		outcomes = append(outcomes, results)
	}
	return outcomes
}

func outcomeOf(output []byte, err error) outcome {
	if err != nil {
		if guest, ok := err.(*sandbox.GuestError); ok {
			text, _ := json.Marshal(guest)
			return outcome{Error: string(text)}
		}
		return outcome{Error: err.Error()}
	}
	return outcome{OK: string(output)}
}

// memory is a host that keeps data in memory: the twin of the one in node/run.mjs.
type memory struct {
	stores map[string]map[string]json.RawMessage
	lines  map[string][]json.RawMessage
	locks  map[int][2]string
}

func newMemory() *memory {
	return &memory{stores: map[string]map[string]json.RawMessage{}, lines: map[string][]json.RawMessage{}, locks: map[int][2]string{}}
}

func (*memory) Log(context.Context, int, string) {}

func (m *memory) Answer(_ context.Context, text []byte) []byte {
	var r struct {
		Op, Rel, Path, Store, ID string
		N, Lock                  int
		Value                    json.RawMessage
	}
	if err := json.Unmarshal(text, &r); err != nil {
		panic(err)
	}
	records := m.stores[r.Store]
	if records == nil {
		records = map[string]json.RawMessage{}
		m.stores[r.Store] = records
	}
	var ok any
	switch r.Op {
	case "data.path":
		ok = "memory:/" + r.Rel
	case "data.append":
		m.lines[r.Path] = append(m.lines[r.Path], r.Value)
	case "data.readNewest":
		newest := slices.Clone(m.lines[r.Path])
		slices.Reverse(newest)
		ok = newest[:min(r.N, len(newest))]
	case "store.get":
		ok = records[r.ID]
	case "store.put":
		records[r.ID] = r.Value
	case "store.delete", "store.exists":
		_, ok = records[r.ID], records[r.ID] != nil
		if r.Op == "store.delete" {
			delete(records, r.ID)
		}
	case "store.list":
		values := []json.RawMessage{}
		for _, id := range slices.Sorted(maps.Keys(records)) {
			values = append(values, records[id])
		}
		ok = values
	case "store.begin":
		lock := len(m.locks) + 1
		m.locks[lock] = [2]string{r.Store, r.ID}
		ok = map[string]any{"lock": lock, "value": records[r.ID]}
	case "store.commit":
		at := m.locks[r.Lock]
		m.stores[at[0]][at[1]] = r.Value
	case "credentials.resolve", "log", "store.abort":
	default:
		return []byte(fmt.Sprintf(`{"error":{"code":"unsupported","message":"this host has no %s"}}`, r.Op))
	}
	answer, err := json.Marshal(map[string]any{"ok": ok})
	if err != nil {
		panic(err)
	}
	return answer
}
