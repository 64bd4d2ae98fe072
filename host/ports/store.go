package ports

import (
	"context"
	"encoding/json"

	"github.com/neuralis-dev/neuralis/host/data"
)

// maxLocks is how many records one call may hold at a time.
const maxLocks = 16

// What package data calls errors that are found here.
const (
	codeNoLock  = string(data.CodeNoLock)
	codeNoValue = string(data.CodeInvalidValue)
)

func (p *ports) folder() (*data.Store, error) {
	if p.Data == nil {
		return nil, refuse(codeUnsupported, "this host keeps no data")
	}
	return p.Data.Answering(p.Limits.MemoryMiB << 20 / answerShare), nil
}

// answerShare is the part of a package's memory that an answer may take, as JSON: the package has it as text and as values
// besides. What it could not take, the host does not read.
const answerShare = 4

func (p *ports) dataPath(_ context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Rel string `json:"rel"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	folder, err := p.folder()
	if err != nil {
		return nil, err
	}
	return folder.DataPath(r.Rel)
}

func (p *ports) dataAppend(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Path     string          `json:"path"`
		Value    json.RawMessage `json:"value"`
		MaxBytes float64         `json:"maxBytes"`
		Keep     *float64        `json:"keep"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	folder, err := p.folder()
	if err != nil {
		return nil, err
	}
	rotation := data.Rotation{MaxBytes: int64(min(max(r.MaxBytes, 0), 1<<40))}
	if r.Keep != nil {
		// To a package 0 is none, and nothing said is what the host thinks best.
		if rotation.Keep = int(min(max(*r.Keep, 0), data.MaxKeep)); rotation.Keep == 0 {
			rotation.Keep = data.KeepNone
		}
	}
	return nil, folder.Append(ctx, r.Path, r.Value, rotation)
}

func (p *ports) dataReadNewest(ctx context.Context, request json.RawMessage) (any, error) {
	var r struct {
		Path string  `json:"path"`
		N    float64 `json:"n"`
	}
	if err := read(request, &r); err != nil {
		return nil, err
	}
	folder, err := p.folder()
	if err != nil {
		return nil, err
	}
	return answered(folder.ReadNewest(ctx, r.Path, int(min(max(r.N, 0), 1<<30))))
}

// list are values that are known to be JSON, and need not be looked at again before they are answered.
type list []json.RawMessage

func answered(values []json.RawMessage, err error) (any, error) {
	if values == nil {
		values = []json.RawMessage{} // of nothing, too, there is an array
	}
	return list(values), err
}

// answer is the answer with the values; it may be long.
func (l list) answer() []byte {
	size := len(`{"ok":[]}`) + len(l)
	for _, value := range l {
		size += len(value)
	}
	text := append(make([]byte, 0, size), `{"ok":[`...)
	for i, value := range l {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return append(text, "]}"...)
}

// storeRequest is a request about the records of a store.
type storeRequest struct {
	Store string          `json:"store"`
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
	Lock  int             `json:"lock"`

	records *data.FileStore
}

// store reads a request and finds its store.
func (p *ports) store(request json.RawMessage) (r storeRequest, err error) {
	if err = read(request, &r); err != nil {
		return r, err
	}
	folder, err := p.folder()
	if err != nil {
		return r, err
	}
	r.records, err = folder.FileStore(r.Store)
	return r, err
}

func (p *ports) storeGet(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	return r.records.Get(ctx, r.ID)
}

func (p *ports) storePut(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	if r.Value == nil {
		return nil, refuse(codeNoValue, "there is no value to write")
	}
	return nil, r.records.Put(ctx, r.ID, r.Value)
}

func (p *ports) storeDelete(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	return r.records.Delete(ctx, r.ID)
}

func (p *ports) storeExists(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	return r.records.Exists(ctx, r.ID)
}

func (p *ports) storeList(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	return answered(r.records.List(ctx))
}

// storeBegin begins an update, which the call holds until it commits, aborts or ends.
func (p *ports) storeBegin(ctx context.Context, request json.RawMessage) (any, error) {
	r, err := p.store(request)
	if err != nil {
		return nil, err
	}
	if len(p.locks) >= maxLocks {
		return nil, refuse(string(data.CodeLocked), "the call holds %d records already", maxLocks)
	}
	lock, err := r.records.Begin(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	if p.locks == nil {
		p.locks = map[int]*data.Lock{}
	}
	p.taken++
	p.locks[p.taken] = lock
	return map[string]any{"lock": p.taken, "value": lock.Value()}, nil
}

func (p *ports) storeCommit(_ context.Context, request json.RawMessage) (any, error) {
	lock, value, err := p.held(request)
	if err != nil {
		return nil, err
	}
	if value == nil {
		lock.Abort()
		return nil, refuse(codeNoValue, "there is no value to write")
	}
	return nil, lock.Commit(value)
}

func (p *ports) storeAbort(_ context.Context, request json.RawMessage) (any, error) {
	lock, _, err := p.held(request)
	if err != nil {
		return nil, err
	}
	lock.Abort()
	return nil, nil
}

// held takes the lock of a request away from the call.
func (p *ports) held(request json.RawMessage) (*data.Lock, json.RawMessage, error) {
	var r storeRequest
	if err := read(request, &r); err != nil {
		return nil, nil, err
	}
	lock := p.locks[r.Lock]
	if lock == nil {
		return nil, nil, refuse(codeNoLock, "there is no update with the number %d", r.Lock)
	}
	delete(p.locks, r.Lock)
	return lock, r.Value, nil
}

func (p *ports) releaseLocks() {
	for _, lock := range p.locks {
		lock.Abort()
	}
	p.locks = nil
}
