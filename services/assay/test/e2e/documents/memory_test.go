package documents

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// boundedMemory fails the test if the peak memory of the server exceeded peakMemory.
func boundedMemory(t *testing.T, s *system.Server) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Program.Cmd.Process.Pid))
	if err != nil {
		t.Logf("cannot read the memory usage of the server: %v", err) // not on Linux
		return
	}
	mark := highWater.FindSubmatch(status)
	if mark == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	peak, err := strconv.ParseInt(string(mark[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("peak memory of the server: %d MiB", peak>>10)
	if peak<<10 > peakMemory {
		t.Errorf("peak memory of the server: %d MiB, want at most %d MiB", peak>>10, peakMemory>>20)
	}
}
