package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	extism "github.com/extism/go-sdk"

	"github.com/neuralis-dev/neuralis/internal/direct"
)

// portFunction is the host function of every plug-in: it finds the call in the context.
func portFunction() extism.HostFunction {
	return extism.NewHostFunctionWithStack(hostFunction, func(ctx context.Context, p *extism.CurrentPlugin, stack []uint64) {
		c, _ := ctx.Value(callKey{}).(*call)
		if c != nil && c.instance.direct && direct.Is(stack[0]) {
			stack[0] = c.serve(ctx, stack[0])
			return
		}
		request, err := p.ReadBytes(stack[0])
		if err != nil {
			panic(fmt.Errorf("reading a request to the host: %w", err))
		}
		response := c.answer(ctx, request)
		stack[0], err = p.WriteBytes(response)
		if err == nil && stack[0] == 0 && len(response) > 0 {
			err = errors.New("no memory in the plug-in")
		}
		if err != nil {
			panic(fmt.Errorf("answering a request to the host with %d bytes: %w", len(response), err))
		}
	}, []extism.ValueType{extism.ValueTypePTR}, []extism.ValueType{extism.ValueTypePTR})
}

// serve does what a guest asks for that shares its memory with us.
func (c *call) serve(ctx context.Context, request uint64) uint64 {
	op, part, err := direct.Parse(request, c.instance.memory.Last())
	if err != nil {
		panic(err)
	}
	switch op {
	case direct.Input:
		c.ready = c.input
		return uint64(len(c.ready))
	case direct.Ask:
		// A copy: who answers may keep the request, and the guest goes on.
		c.ready = c.answer(ctx, bytes.Clone(part))
		if uint64(len(c.ready)) > uint64(c.instance.largest) {
			panic(fmt.Errorf("answering a request to the host with %d bytes: no memory in the plug-in", len(c.ready)))
		}
		return uint64(len(c.ready))
	case direct.Take:
		copy(part, c.ready)
		c.ready = nil
	case direct.Output:
		c.output = append([]byte{}, part...)
	}
	return 0
}

// answer asks the ports of a call, if there are any.
func (c *call) answer(ctx context.Context, request []byte) []byte {
	if c == nil || c.ports == nil {
		return []byte(`{"error":{"code":"unsupported","message":"there is no host behind this call"}}`)
	}
	return c.ports.Answer(ctx, request)
}
