package wasm

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Errors of an instance. They affect only its document. A stopped instance returns the cause of its context
// instead.
const (
	ErrMemory  = reason.DocumentMemory
	ErrCrashed = reason.DocumentCrashed
	ErrTime    = reason.DocumentSlow
)

// Instance is one run of a program. The first error ends it: all later calls return zero, and Err
// returns the error. It is not safe for concurrent use.
type Instance struct {
	ctx       context.Context
	end       context.CancelFunc // releases ctx
	closed    func(error)
	name      string
	memory    *memory
	module    api.Module
	functions map[string]api.Function
	entries   map[uint32]api.Function
	unwatch   func() // disables watch
	err       error
}

// watch stops the code when ctx is done.
func (i *Instance) watch() {
	flag := i.module.ExportedGlobal(stopGlobal).(api.MutableGlobal)
	set := make(chan struct{})
	stop := context.AfterFunc(i.ctx, func() {
		flag.Set(1)
		close(set)
	})
	i.unwatch = func() {
		if !stop() {
			<-set
		}
	}
}

// Call calls an exported function and returns its result, or 0 if the function has no result or fails.
func (i *Instance) Call(name string, args ...uint64) uint64 {
	if i.ended() {
		return 0
	}
	f := i.functions[name]
	if f == nil {
		if f = i.module.ExportedFunction(name); f == nil {
			i.err = fmt.Errorf("%s has no function %s", i.name, name)
			return 0
		}
		i.functions[name] = f
	}
	return i.call(f, args)
}

// CallEntry calls the function at an index of the program's first table, as Call does. The
// function must have the given types of parameters and results.
func (i *Instance) CallEntry(index uint32, params, results []api.ValueType, args ...uint64) uint64 {
	if i.ended() {
		return 0
	}
	f := i.entries[index]
	if f == nil {
		if f = i.entry(index, params, results); f == nil {
			return 0
		}
		i.entries[index] = f
	}
	return i.call(f, args)
}

// entry returns the function at an index of the table. If there is none of this type, entry ends
// the instance and returns nil.
func (i *Instance) entry(index uint32, params, results []api.ValueType) (f api.Function) {
	defer func() {
		if cause := recover(); cause != nil { // LookupFunction panics if the index is invalid
			i.err = fmt.Errorf("%w (%s): its table has no function of this type at index %d: %v", ErrCrashed, i.name, index, cause)
			f = nil
		}
	}()
	return table.LookupFunction(i.module, 0, index, params, results)
}

// ended reports whether an error or the end of its context has ended the instance.
func (i *Instance) ended() bool {
	if i.err == nil && i.ctx.Err() != nil {
		i.err = context.Cause(i.ctx)
	}
	return i.err != nil
}

func (i *Instance) call(f api.Function, args []uint64) uint64 {
	result, err := f.Call(i.ctx, args...)
	if err != nil {
		i.err = i.classify(err)
		return 0
	}
	if len(result) == 0 {
		return 0
	}
	return result[0]
}

func (i *Instance) classify(err error) error {
	switch {
	case i.ctx.Err() != nil:
		return context.Cause(i.ctx)
	case i.memory.refused:
		return ErrMemory.With(reason.MiB, i.memory.most>>20)
	}
	return fmt.Errorf("%w (%s): %w", ErrCrashed, i.name, err)
}

// Fail ends the instance with an error, unless it has already ended.
func (i *Instance) Fail(err error) {
	if i.err == nil {
		i.err = err
	}
}

// Err returns the error that ended the instance.
func (i *Instance) Err() error { return i.err }

// OutOfMemory reports whether an allocation of the instance failed. The program may have continued and omitted part of
// the result.
func (i *Instance) OutOfMemory() bool { return i.memory.refused }

// Bytes returns size bytes of the instance's memory, starting at address at. If the range is outside the memory, it
// ends the instance and returns nil. The bytes are valid until the next call.
func (i *Instance) Bytes(at, size uint64) []byte {
	if i.err != nil {
		return nil
	}
	if at == 0 || at > uint64(len(i.memory.bytes)) || size > uint64(len(i.memory.bytes))-at {
		i.err = fmt.Errorf("%w (%s): it returned an address outside its memory", ErrCrashed, i.name)
		return nil
	}
	return i.memory.bytes[at : at+size : at+size]
}

// Close ends the instance and releases its memory. It must be called exactly once.
func (i *Instance) Close() error {
	i.unwatch()
	i.closed(i.err)
	i.Fail(ErrClosed)
	i.end()
	return i.module.Close(context.WithoutCancel(i.ctx))
}
