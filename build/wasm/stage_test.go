package wasm

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// chain are sources of which each but the first two begins a stage when they are padded. They leave behind what could
// differ: times, random numbers, promise jobs, garbage, a deep stack, a pending top-level await.
func chain(padding int) []Source {
	texts := []string{
		prelude + `export const log = []; const handler = () => log; export { native };`,
		`log.push('one', Date.now(), Math.random()); Promise.resolve().then(() => log.push('job of one')); native(4, 2, 'one speaks');`,
		`let sum = 0; for (let i = 0; i < 100_000; i++) sum += i % 7; log.push('two', sum, Date.now(), native(12), new Uint8Array(native(11, 8)).join());`,
		`const deep = (n) => n === 0 ? [] : [...deep(n - 1), { n }]; log.push('three', deep(300).length); native(4, 3, 'three speaks');`,
		`const waited = await Promise.resolve('waited').then((v) => v + ' for it'); log.push('four', waited, Date.now());`,
		`log.push('five', Date.now(), Math.random()); Promise.resolve().then(() => log.push('job of five'));`,
	}
	sources := make([]Source, len(texts))
	for i, text := range texts {
		if i > 0 {
			text = fmt.Sprintf("import 'm%d'; import { log, native } from 'm0'; %s\n// %s\n", i-1, text, strings.Repeat("x", padding))
		}
		sources[i] = Source{Name: fmt.Sprintf("m%d", i), Code: []byte(text)}
	}
	return sources
}

func snapshotOf(t *testing.T, sources []Source, earlier *Earlier) *Module {
	t.Helper()
	m, err := shared.compiler.Snapshot(context.Background(), sources, earlier, Identity{ID: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStagesDoWhatOneDoes(t *testing.T) {
	padded := chain(stageSize)
	if got := seams(padded); !slices.Equal(got, []int{0, 2, 3, 4, 5}) {
		t.Fatalf("stages begin at %v", got)
	}
	inStages, err := call(t, plugin(t, snapshotOf(t, padded, nil).WASM), nil)
	if err != nil {
		t.Fatal(err)
	}
	atOnce, err := call(t, plugin(t, snapshotOf(t, chain(1), nil).WASM), nil)
	if err != nil {
		t.Fatal(err)
	}
	// How often the time was asked for is not the same, the order of everything is.
	names := func(log string) []string {
		return strings.FieldsFunc(log, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz ", r) })
	}
	if a, b := names(inStages), names(atOnce); !slices.Equal(a, b) || len(a) < 8 {
		t.Errorf("in stages\n%v\nat once\n%v", a, b)
	}
}

// earlierOf is what a Snapshot leaves for the next, with a checkpoint that was found before.
func earlierOf(m *Module, memory []byte, asked *[]Key) *Earlier {
	return &Earlier{
		Keys: m.Keys,
		Bytecode: func(keys []Key) Bytecode {
			*asked = keys
			return m.Bytecode
		},
		Checkpoint: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(memory)), nil },
	}
}

func TestResumedIsWhatColdIs(t *testing.T) {
	sources := chain(stageSize)
	cold := snapshotOf(t, sources, nil)
	if cold.Checkpoint == nil || cold.Checkpoint.Sources != 5 {
		t.Fatalf("a first snapshot keeps %+v", cold.Checkpoint)
	}
	for _, changed := range []int{2, 3, 4, 5} {
		t.Run(fmt.Sprint("change of ", changed), func(t *testing.T) {
			before := slices.Clone(sources)
			before[changed].Code = append([]byte("globalThis.other = 1;"), before[changed].Code...)
			first := snapshotOf(t, before, &Earlier{Keys: cold.Keys, Bytecode: func([]Key) Bytecode { return cold.Bytecode }})
			if first.Checkpoint == nil || first.Checkpoint.Sources != changed {
				t.Fatalf("kept %+v", first.Checkpoint)
			}
			if bytes.Equal(first.WASM, cold.WASM) {
				t.Fatal("the change changed nothing")
			}
			var asked []Key
			resumed := snapshotOf(t, sources, earlierOf(first, first.Checkpoint.Memory, &asked))
			if len(asked) != len(sources)-changed {
				t.Errorf("%d sources were not evaluated, want %d", len(asked), len(sources)-changed)
			}
			if !bytes.Equal(resumed.WASM, cold.WASM) || !reflect.DeepEqual(resumed.Logs, cold.Logs) || len(cold.Logs) != 2 {
				t.Errorf("it is not what it is without a cache; it said %v and %v", resumed.Logs, cold.Logs)
			}
			if resumed.Checkpoint != nil {
				t.Error("the checkpoint was made again")
			}
		})
	}
}

// What is wrong with a checkpoint costs time.
func TestDamagedCheckpoint(t *testing.T) {
	sources := chain(stageSize)
	cold := snapshotOf(t, sources, nil)
	good := cold.Checkpoint.Memory
	for name, memory := range map[string][]byte{
		"empty":            nil,
		"short":            good[:len(good)/2],
		"without its end":  good[:len(good)-1],
		"another format":   append([]byte{'x'}, good[1:]...),
		"other sources":    snapshotOf(t, append([]Source{{"m0", append([]byte(";"), sources[0].Code...)}}, sources[1:]...), nil).Checkpoint.Memory,
		"a flipped bit":    flipped(good, len(good)-5000),
		"many runs":        flipped(good, 8+32+4+4+8+8+4+2),
		"a run elsewhere":  flipped(good, 8+32+4+4+8+8+4+4+4+200),
		"too much memory":  flipped(good, 8+32+4+3),
		"other log lines":  flipped(good, 8+32+4+4+8+8+4+4+4+20),
		"another position": flipped(good, 8+32),
	} {
		t.Run(name, func(t *testing.T) {
			var asked []Key
			again := snapshotOf(t, sources, earlierOf(cold, memory, &asked))
			if !bytes.Equal(again.WASM, cold.WASM) || !reflect.DeepEqual(again.Logs, cold.Logs) {
				t.Error("it is not what it is without a checkpoint")
			}
			if len(asked) != len(sources) || again.Checkpoint == nil || !bytes.Equal(again.Checkpoint.Memory, good) {
				t.Errorf("%d sources were evaluated; the checkpoint was not made again", len(asked))
			}
		})
	}
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0x10
	return data
}

func TestStageThatThrows(t *testing.T) {
	sources := chain(stageSize)
	sources[3].Code = append([]byte("throw new RangeError('thrown here');"), sources[3].Code...)
	_, err := shared.compiler.Snapshot(context.Background(), sources, nil, Identity{})
	if thrown, ok := err.(*EvalError); !ok || thrown.Name != "RangeError" || thrown.Message != "thrown here" || !strings.Contains(thrown.Stack, "m3:1") {
		t.Errorf("got %v", err)
	}
	sources = chain(stageSize)
	sources[3].Code = append(sources[3].Code, "\nawait new Promise(() => {});"...)
	_, err = shared.compiler.Snapshot(context.Background(), sources, nil, Identity{})
	if thrown, ok := err.(*EvalError); !ok || !thrown.Pending {
		t.Errorf("an await without end: %v", err)
	}
}
