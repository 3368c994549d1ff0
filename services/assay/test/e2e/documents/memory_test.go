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

// boundedMemory fails the test if the server took more than peakMemory at any time.
func boundedMemory(t *testing.T, s *system.Server) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Program.Cmd.Process.Pid))
	if err != nil {
		t.Logf("the memory of the server is not known: %v", err) // not on Linux
		return
	}
	mark := highWater.FindSubmatch(status)
	if mark == nil {
		t.Fatalf("no high water mark in %s", status)
	}
	peak, err := strconv.ParseInt(string(mark[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the server took %d MiB at most", peak>>10)
	if peak<<10 > peakMemory {
		t.Errorf("the server took %d MiB, more than %d MiB", peak>>10, peakMemory>>20)
	}
}
