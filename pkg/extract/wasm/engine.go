package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Runtime is the name of the WebAssembly runtime and its version in go.mod.
const Runtime = "wazero-v1.12.0"

// Errors of an engine.
const (
	ErrClosed      = reason.EngineClosed
	ErrCompiling   = reason.EngineNotReady
	ErrNotCompiled = reason.EngineMissing
)

// Program is code compiled to WebAssembly, with its imports.
type Program struct {
	Name string                 // used in errors
	Code func() ([]byte, error) // returns the module; it is called at most once
	// Import provides the functions that the module imports. It may be nil.
	Import func(context.Context, wazero.Runtime, wazero.CompiledModule) error
	Start  []string // functions without arguments that every instance calls first
}

// Config specifies how an engine compiles.
type Config struct {
	// Cache is a directory for compiled code, which reduces the time of later starts to a tenth. Other users
	// must not be able to write to it, because its content is executed. If Cache is empty, code is not stored.
	Cache   string
	Workers int // number of goroutines that compile; 0 means one
	// Compiler is the path of a program that calls Main, which compiles into Cache in separate processes. If it is
	// empty or fails, or if Cache is empty, this process compiles.
	Compiler string
	// Started is called with the name of a program when an instance of it starts; the returned function is called with its
	// error when the instance is closed. Optional.
	Started func(ctx context.Context, program string) (closed func(error))
}

// UserCache returns the directory for compiled code of this user, and creates it if needed. It returns an error if
// the directory cannot be created, for example on a read-only file system.
func UserCache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "assay", "engines")
	return dir, ownFolder(dir)
}

// Engine compiles a program and runs instances of it. It is safe for concurrent use.
type Engine struct {
	program  Program
	config   Config
	begin    sync.Once
	compiled chan struct{} // closed when the following fields are set
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	module   wazero.CompiledModule
	err      error
}

// New returns an engine, which compiles its program at the first call to Prepare or Start. The
// caller must close the engine after all of its instances.
func New(p Program, cfg Config) *Engine {
	return &Engine{program: p, config: cfg, compiled: make(chan struct{})}
}

// Prepare starts to compile the program, unless an earlier call did, and waits until the compilation or ctx is done.
// The compilation continues after ctx is done. Prepare returns ErrCompiling if ctx is done first, and ErrNotCompiled if
// the compilation failed.
func (e *Engine) Prepare(ctx context.Context) error {
	e.begin.Do(func() {
		go func() {
			defer close(e.compiled)
			if err := e.compile(context.Background()); err != nil {
				e.err = fmt.Errorf("%w (%s): %w", ErrNotCompiled, e.program.Name, err)
			}
		}()
	})
	select {
	case <-e.compiled:
		return e.err
	case <-ctx.Done():
		return fmt.Errorf("%w (%s): %w", ErrCompiling, e.program.Name, context.Cause(ctx))
	}
}

func (e *Engine) compile(ctx context.Context) error {
	if e.config.Cache != "" {
		if err := ownFolder(e.config.Cache); err != nil {
			return err
		}
	}
	code, err := e.program.Code()
	if err != nil {
		return err
	}
	if code, err = interruptible(code); err != nil {
		return err
	}
	var compilerErr error
	if e.config.Cache != "" && e.config.Compiler != "" {
		compilerErr = compileSeparately(ctx, e.config, code)
	}
	if e.runtime, e.cache, err = open(ctx, e.config.Cache); err != nil {
		return err
	}
	if e.module, err = e.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, e.config.Workers), code); err != nil {
		return errors.Join(err, compilerErr)
	}
	if e.program.Import == nil {
		return nil
	}
	return e.program.Import(ctx, e.runtime, e.module)
}

// ownFolder creates a directory that only this user can write to, or returns an error if others can write to an
// existing one.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o022 != 0 {
		err = fmt.Errorf("%s must not be writable by other users, because its content is executed", dir)
	}
	return err
}

// Close releases the compiled code. It waits for a compilation in progress, and returns ErrCompiling if ctx is done
// first.
func (e *Engine) Close(ctx context.Context) error {
	e.begin.Do(func() {
		e.err = ErrClosed
		close(e.compiled)
	})
	if err := e.Prepare(ctx); errors.Is(err, ErrCompiling) {
		return err
	}
	var errs []error
	if e.runtime != nil {
		errs = append(errs, e.runtime.Close(ctx))
	}
	if e.cache != nil {
		errs = append(errs, e.cache.Close(ctx))
	}
	return errors.Join(errs...)
}

// compiling is like Prepare, but waits at most compileTimeout.
func (e *Engine) compiling(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	return e.Prepare(ctx)
}

// Limits are the limits of one instance.
type Limits struct {
	Memory int64 // maximum memory in bytes
	First  int64 // bytes allocated at start, so that growth up to this size copies nothing; 0 means the program's own initial size
	// Time is the maximum time between the start of the instance and its Close; 0 means no limit. It excludes the wait
	// for the compilation.
	Time time.Duration
}

// compileTimeout is how long Start waits for a compilation. It is shorter than the time limit of an attempt to process
// a document.
const compileTimeout = 30 * time.Second

// Start returns an instance of the program with its own memory. When ctx is done, the instance stops. The caller must
// close it. Start returns ErrCompiling, which is not an error of the document, if the program is not compiled within
// 30 s.
func (e *Engine) Start(ctx context.Context, l Limits) (*Instance, error) {
	if err := e.compiling(ctx); err != nil {
		return nil, err
	}
	const page = 65536
	for _, m := range e.module.ExportedMemories() {
		if first := int64(m.Min()) * page; first > l.Memory {
			return nil, fmt.Errorf("%w: %s needs %d bytes at start, but the limit is %d", ErrMemory, e.program.Name, first, l.Memory)
		}
	}
	closed := func(error) {}
	if e.config.Started != nil {
		closed = e.config.Started(ctx, e.program.Name)
	}
	ctx, end := WithTime(ctx, l.Time)
	i := &Instance{ctx: ctx, end: end, closed: closed, name: e.program.Name, memory: &memory{first: uint64(l.First), most: uint64(l.Memory)}, functions: map[string]api.Function{}, entries: map[uint32]api.Function{}}
	allocate := experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(_, limit uint64) experimental.LinearMemory {
			i.memory.most = min(limit, i.memory.most)
			return i.memory
		}))
	module, err := e.runtime.InstantiateModule(allocate, e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		defer end()
		err = i.classify(err)
		closed(err)
		return nil, err
	}
	i.module = module
	i.watch()
	for _, name := range e.program.Start {
		i.Call(name)
	}
	if i.err != nil {
		return nil, errors.Join(i.err, i.Close())
	}
	return i, nil
}
