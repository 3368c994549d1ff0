package uploads

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestStreamingMemory: an upload that ingest streams to the bucket does not accumulate in memory, regardless of its
// size.
func TestStreamingMemory(t *testing.T) {
	t.Parallel()
	// The collector runs often, because uncollected garbage counts.
	c := system.StartCluster(t, "ASSAY_MAX_FILE_SIZE=4294967296", "GOGC=100")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	const mebi = 1 << 20
	for range 5 { // as many bytes as the large upload in total, because the peak grows over time
		postText(t, c, 16*mebi)
	}
	before := peakMemory(t, ingest.Cmd.Process.Pid)
	postText(t, c, 80*mebi)
	after := peakMemory(t, ingest.Cmd.Process.Pid)
	t.Logf("ingest's peak memory was %d MiB after 16 MiB five times and is %d MiB after 80 MiB", before>>10, after>>10)
	// The timing of the collector adds some memory, and the race detector multiplies that by five.
	if after > before+40<<10 {
		t.Errorf("an 80 MiB upload raised the peak memory from %d KiB to %d KiB, want at most %d KiB", before, after, before+40<<10)
	}
}

// postText uploads a text of the given size through ingest and deletes the file.
func postText(t *testing.T, c *system.Cluster, size int64) {
	t.Helper()
	api := c.Client(t, system.NewOwner())
	file, err := api.PostFile(t.Context(), client.Posted{FileName: "large", Content: io.LimitReader(words{}, size)})
	if err != nil {
		t.Fatal(err)
	}
	key := system.Attribute(t, c.Meta(t, file.FileID), "s3Key")
	if err := c.HeadFile(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if err := api.Delete(t.Context(), file.FileID); err != nil {
		t.Fatal(err)
	}
}

// words is an endless text.
type words struct{}

func (words) Read(b []byte) (int, error) {
	const line = "the quick brown fox jumps over the lazy dog\n"
	for n := range b {
		b[n] = line[n%len(line)]
	}
	return len(b), nil
}

// peakMemory returns VmHWM, the peak resident memory of a process, in KiB (man 5 proc_pid_status).
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, peak, found := bytes.Cut(status, []byte("VmHWM:"))
	var kibi int
	if _, err := fmt.Sscan(string(peak), &kibi); err != nil || !found {
		t.Fatalf("cannot read VmHWM: %v", err)
	}
	return kibi
}
