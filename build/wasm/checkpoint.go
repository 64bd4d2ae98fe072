package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"

	"github.com/neuralis-dev/neuralis/internal/wasmbin"
)

// A checkpoint is the memory between two stages, with what the kernel remembers. It says which sources were evaluated
// by a hash of their keys and the core's, so that it is never taken for another. As written:
//
//	header · log lines as JSON · runs of pages that are not zero, each a number and a count · those pages
//
// The checksum in the header is one against accidents; the folder it lies in is the user's own.

// checkpointPage is the unit in which memory is kept or left out, in bytes.
const checkpointPage = 4096

// checkpointMagic begins the format's name; another layout gets another one.
var checkpointMagic = [8]byte{'n', 'c', 'h', 'e', 'c', 'k', 0, 1}

type checkpointHeader struct {
	Magic    [8]byte
	Chain    Key    // of the sources that were evaluated
	Count    uint32 // of those sources
	Pages    uint32 // of memory, as WebAssembly counts them
	Ticks    uint64
	Random   uint64
	LogBytes uint32
	Runs     uint32
	Sum      uint32 // of all that follows
}

// maxCheckpointRuns and maxCheckpointLogs bound what a damaged header can ask for.
const (
	maxCheckpointRuns = 1 << 20
	maxCheckpointLogs = 64 << 20
)

var errCheckpoint = errors.New("the checkpoint is of no use")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chains are the hashes of 0, 1, 2 … sources and the core that they run on.
func (c *Compiler) chains(keys []Key) []Key {
	all := make([]Key, 1, len(keys)+1)
	all[0] = sha256.Sum256([]byte(c.meta.Core))
	for _, key := range keys {
		before := all[len(all)-1]
		all = append(all, sha256.Sum256(append(before[:], key[:]...)))
	}
	return all
}

// checkpoint writes the memory of an instance that has evaluated count sources.
func (i *instance) checkpoint(chain Key, count int) ([]byte, error) {
	memory := i.memory()
	var runs []uint32
	used := 0
	for at := 0; at < len(memory); at += checkpointPage {
		if i.onStack(at) || zero(memory[at:at+checkpointPage]) {
			continue
		}
		page := uint32(at / checkpointPage)
		if n := len(runs); n > 0 && runs[n-2]+runs[n-1] == page {
			runs[n-1]++
		} else {
			runs = append(runs, page, 1)
		}
		used += checkpointPage
	}
	logs, err := json.Marshal(i.kernel.logs)
	if err != nil {
		return nil, err
	}
	header := checkpointHeader{
		Magic: checkpointMagic, Chain: chain, Count: uint32(count), Pages: uint32(len(memory) / wasmbin.PageSize),
		Ticks: i.kernel.ticks, Random: i.kernel.random, LogBytes: uint32(len(logs)), Runs: uint32(len(runs) / 2),
	}
	size := binary.Size(header)
	out := append(make([]byte, size, size+len(logs)+4*len(runs)+used), logs...)
	for _, n := range runs {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	for n := 0; n < len(runs); n += 2 {
		at := int(runs[n]) * checkpointPage
		out = append(out, memory[at:at+int(runs[n+1])*checkpointPage]...)
	}
	header.Sum = crc32.Checksum(out[size:], castagnoli)
	_, err = binary.Encode(out, binary.LittleEndian, header)
	return out, err
}

func (i *instance) onStack(at int) bool {
	return at >= int(i.c.cells.stackBottom) && at < int(i.c.cells.stackTop)
}

func zero(page []byte) bool {
	var none [checkpointPage]byte
	return bytes.Equal(page, none[:len(page)])
}

// readCheckpoint reads the header, and accepts it when it is of the first sources of these, but not of all.
func readCheckpoint(r io.Reader, chains []Key) (checkpointHeader, error) {
	var h checkpointHeader
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return h, err
	}
	if h.Magic != checkpointMagic || h.Count == 0 || int(h.Count) >= len(chains)-1 || chains[h.Count] != h.Chain ||
		h.Runs > maxCheckpointRuns || h.LogBytes > maxCheckpointLogs {
		return h, errCheckpoint
	}
	return h, nil
}

// resume makes an instance with the memory that follows the header.
func (i *instance) resume(r io.Reader, h checkpointHeader) error {
	sum := crc32.New(castagnoli)
	r = io.TeeReader(r, sum)
	logs := make([]byte, h.LogBytes)
	if _, err := io.ReadFull(r, logs); err != nil {
		return err
	}
	runs := make([]uint32, 2*h.Runs)
	if err := binary.Read(r, binary.LittleEndian, runs); err != nil {
		return err
	}
	if err := i.start(h.Pages); err != nil {
		return err
	}
	memory := i.memory()
	for n := 0; n < len(runs); n += 2 {
		from, to := uint64(runs[n])*checkpointPage, (uint64(runs[n])+uint64(runs[n+1]))*checkpointPage
		if to > uint64(len(memory)) {
			return errCheckpoint
		}
		if _, err := io.ReadFull(r, memory[from:to]); err != nil {
			return err
		}
	}
	if sum.Sum32() != h.Sum {
		return errCheckpoint
	}
	i.kernel.ticks, i.kernel.random = h.Ticks, h.Random
	return json.Unmarshal(logs, &i.kernel.logs)
}
