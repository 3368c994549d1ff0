// Command clock runs the go command with a wall clock that tests can step:
//
//	go run ./services/assay/test/fault/clock test -tags clockstep ./pkg/bus
//
// It builds with an overlay of package time in which time.Step changes the wall clock
// of time.Now but not the monotonic clock, as an administrator or NTP does. Files
// that call time.Step have the build tag clockstep. Because all packages import
// package time, the first run compiles everything.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// step is added to package time.
const step = `package time

import "sync/atomic"

var wallStep atomic.Int64 // seconds

// Step moves the wall clock by d, in whole seconds.
func Step(d Duration) { wallStep.Add(int64(d / Second)) }
`

// read is the beginning of time.Now, which reads the system clock.
const read = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "clock:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	if len(args) == 0 {
		return 0, errors.New("missing arguments; pass those of a go command, such as test -tags clockstep ./pkg/bus")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return 0, err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	original, err := os.ReadFile(source)
	if err != nil {
		return 0, err
	}
	stepped := strings.Replace(string(original), read, read+"\tsec += wallStep.Load()\n", 1)
	if stepped == string(original) {
		return 0, fmt.Errorf("time.Now in %s does not begin as expected; adapt this command to this version of Go", source)
	}
	dir, err := os.MkdirTemp("", "clock-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	replaced := map[string]string{source: filepath.Join(dir, "time.go"), filepath.Join(filepath.Dir(source), "step.go"): filepath.Join(dir, "step.go")}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return 0, err
	}
	for name, content := range map[string]string{"time.go": stepped, "step.go": step, "overlay.json": string(overlay)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return 0, err
		}
	}
	command := exec.Command("go", append([]string{args[0], "-overlay", filepath.Join(dir, "overlay.json")}, args[1:]...)...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = command.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode(), nil
	}
	return 0, err
}
