package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// chunkBytes is how much is read from the end of a file at a time.
const chunkBytes = 64 << 10

// lastFirst calls found for the lines of a file from the last to the first, until it returns false. Lines longer
// than longest are left out, and no more than that much of the file is held. What follows the last line break is a line
// that was not ended. Found may keep what it is given.
func lastFirst(file io.ReaderAt, size int64, chunk, longest int, found func(line []byte, ended bool) bool) error {
	var pieces [][]byte // of the line that is being put together, the last one first
	held, tooLong, ended := 0, false, false
	take := func(piece []byte) {
		if held += len(piece); held > longest {
			pieces, tooLong = nil, true
		}
		if !tooLong && len(piece) > 0 {
			pieces = append(pieces, piece)
		}
	}
	finish := func() bool {
		slices.Reverse(pieces)
		line := bytes.Join(pieces, nil)
		skip := tooLong
		pieces, held, tooLong = nil, 0, false
		return skip || len(line) == 0 || found(line, ended)
	}
	for at := size; at > 0; {
		n := min(int64(chunk), at)
		at -= n
		buffer := make([]byte, n)
		read, err := file.ReadAt(buffer, at)
		if err != nil && !errors.Is(err, io.EOF) { // it may have become shorter
			return err
		}
		buffer = buffer[:read]
		for {
			i := bytes.LastIndexByte(buffer, '\n')
			take(buffer[i+1:])
			if i < 0 {
				break
			}
			if !finish() {
				return nil
			}
			ended = true
			buffer = buffer[:i]
		}
	}
	finish()
	return nil
}

// lastPiece returns what follows the last line break, as far as it is not longer than longest; of what is longer
// it returns something that is not whole.
func lastPiece(file io.ReaderAt, size int64, longest int) ([]byte, error) {
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, size-1); err != nil {
		return nil, err
	}
	if last[0] == '\n' {
		return nil, nil
	}
	piece := last[:0:0]
	piece = append(piece, '{')
	err := lastFirst(file, size, 4<<10, longest, func(line []byte, ended bool) bool {
		if !ended {
			piece = line
		}
		return false
	})
	return piece, err
}

// whole reports whether a line that was not ended is all there. The beginning of a number is a number, so with
// those there is no telling; the beginning of anything else is not JSON.
func whole(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] == '-' || '0' <= line[0] && line[0] <= '9' {
		return false
	}
	return json.Valid(line)
}
