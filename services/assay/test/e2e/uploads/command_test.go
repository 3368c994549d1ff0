package uploads

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestInterruptedCommandContinues: after an interrupted multipart upload, the command sends only the missing part when
// it runs again, and the file is uploaded once.
func TestInterruptedCommandContinues(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, system.NoSweep)
	gate := &partGate{sent: map[string]int{}, open: make(chan struct{})}
	bucket := system.Intercept(t, c.S3, system.Taps{Request: gate.pass})
	c.Front(t, c.Service(t, "ingest", "ASSAY_S3_PUBLIC_ENDPOINT="+bucket), c.Service(t, "query"))
	path := filepath.Join(t.TempDir(), "large.txt")
	text := []byte(strings.Repeat("fish ", (client.PartsAbove+partSize/2)/5))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"upload"}, {"library", "put"}} {
		t.Run(command[0], func(t *testing.T) {
			gate.close()
			owner := system.NewOwner()
			env := []string{"ASSAY_SERVER=" + c.HTTP, "ASSAY_OWNER=" + owner, "ASSAY_DATA_DIR=" + t.TempDir()}
			run := func() *system.Program { return system.Launch(t, "assay", env, append(command, path)...) }
			first := run()
			system.Eventually(t, func() error { return storedParts(t, c.System, 4) })
			system.Eventually(t, gate.holds)
			if status := first.Interrupt(t); status != 130 {
				t.Fatalf("the interrupted command exited with %d, want 130: %s", status, first.Output)
			}
			close(gate.open)
			second := run()
			if status := second.End(t); status != 0 {
				t.Fatalf("the command exited with %d, want 0: %s", status, second.Output)
			}
			for number, times := range gate.counts() {
				if want := map[bool]int{true: 2, false: 1}[number == heldPart]; times != want {
					t.Errorf("part %s was sent %d times, want %d", number, times, want)
				}
			}
			if open := openUploads(t, c.System); len(open.Uploads) > 0 {
				t.Errorf("%d uploads are open, want 0", len(open.Uploads))
			}
		})
	}
}

// heldPart is the last part of the file.
const heldPart = "5"

// partGate counts the parts that are sent. It holds the last part until the gate is open, and then drops it.
type partGate struct {
	mu   sync.Mutex
	sent map[string]int
	open chan struct{}
}

func (g *partGate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent, g.open = map[string]int{}, make(chan struct{})
}

func (g *partGate) counts() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.sent)
}

// holds returns an error until the last part has been sent.
func (g *partGate) holds() error {
	if g.counts()[heldPart] == 0 {
		return errors.New("the last part was not sent")
	}
	return nil
}

func (g *partGate) pass(r *http.Request) {
	number := r.URL.Query().Get("partNumber")
	if r.Method != http.MethodPut || number == "" {
		return
	}
	g.mu.Lock()
	g.sent[number]++
	held, open := number == heldPart && g.sent[number] == 1, g.open
	g.mu.Unlock()
	if held {
		select {
		case <-open:
		case <-r.Context().Done():
		}
		// The bucket does not store the part, even if the server has not noticed that the command is gone.
		ctx, cancel := context.WithCancel(r.Context())
		cancel()
		*r = *r.WithContext(ctx)
	}
}

func openUploads(t *testing.T, s system.System) *s3.ListMultipartUploadsOutput {
	t.Helper()
	open, err := s.Objects().ListMultipartUploads(system.Within(t), &s3.ListMultipartUploadsInput{Bucket: &s.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	return open
}

// storedParts returns an error unless the only open upload has the given number of parts.
func storedParts(t *testing.T, s system.System, want int) error {
	t.Helper()
	open := openUploads(t, s)
	if len(open.Uploads) != 1 {
		return fmt.Errorf("%d uploads are open, want 1", len(open.Uploads))
	}
	stored, err := s.Objects().ListParts(system.Within(t), &s3.ListPartsInput{Bucket: &s.Bucket, Key: open.Uploads[0].Key, UploadId: open.Uploads[0].UploadId})
	if err != nil {
		return err
	}
	if len(stored.Parts) != want {
		return fmt.Errorf("%d parts are stored, want %d", len(stored.Parts), want)
	}
	return nil
}
