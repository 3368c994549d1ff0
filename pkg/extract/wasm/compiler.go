package wasm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// compilerName is the name (argv[0]) of a process that compiles a module into a cache.
const compilerName = "assay-compiler"

// compilerVariable is the environment variable with the path of the program that compiles. It is not a setting: Main
// sets it, and Settings reads it.
const compilerVariable = "ENGINES_COMPILER"

// Main runs a program whose engines are compiled in separate processes, so that the program's memory does not include
// the memory for compilation, up to 400 MB. It returns the program's exit status. In a process that an engine has
// started, Main compiles a module instead.
func Main(run func() int) int {
	if os.Args[0] == compilerName {
		if err := compileInput(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	path, err := os.Executable()
	if err == nil {
		err = os.Setenv(compilerVariable, path)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "engines are compiled in this process:", err)
	}
	return run()
}

// compileInput compiles the module on standard input. The arguments are the directory of the cache and the number of
// goroutines.
func compileInput(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("%s requires a directory and a number of goroutines", compilerName)
	}
	workers, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	code, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	r, cache, err := open(ctx, args[0])
	if err != nil {
		return err
	}
	_, err = r.CompileModule(experimental.WithCompilationWorkers(ctx, workers), code)
	return errors.Join(err, r.Close(ctx), cache.Close(ctx))
}

// open returns a runtime that stores compiled code in a subdirectory of cacheDir for its version, because wazero uses
// the same directory for all versions in tests. The caller must close both. If cacheDir is empty, cache is nil.
func open(ctx context.Context, cacheDir string) (r wazero.Runtime, cache wazero.CompilationCache, err error) {
	cfg := wazero.NewRuntimeConfig()
	if cacheDir != "" {
		if cache, err = wazero.NewCompilationCacheWithDir(filepath.Join(cacheDir, Runtime)); err != nil {
			return nil, nil, err
		}
		cfg = cfg.WithCompilationCache(cache)
	}
	return wazero.NewRuntimeWithConfig(ctx, cfg), cache, nil
}

// compileSeparately compiles a module in a separate process, unless the cache contains its code. The process
// inherits no environment variables.
func compileSeparately(ctx context.Context, cfg Config, code []byte) error {
	sum := sha256.Sum256(code)
	done := filepath.Join(cfg.Cache, Runtime, hex.EncodeToString(sum[:16])+".compiled")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	var stderr bytes.Buffer
	compiler := exec.CommandContext(ctx, cfg.Compiler)
	compiler.Args = []string{compilerName, cfg.Cache, strconv.Itoa(cfg.Workers)}
	compiler.Env = []string{}
	compiler.Stdin, compiler.Stderr = bytes.NewReader(code), &stderr
	if err := compiler.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", cfg.Compiler, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return os.WriteFile(done, nil, 0o600)
}
