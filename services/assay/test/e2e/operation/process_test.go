package operation

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestOneServerPerFolder: a second serve on a data directory reports why it does not start, and has no other effect.
func TestOneServerPerFolder(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	before := system.ReadEndpoints(t, s.Dir)
	second := system.Launch(t, "assay", []string{"ASSAY_ADDR=127.0.0.1:0"}, "serve", "--data", s.Dir)
	if status := second.End(t); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if want := "another assay serve is running on this data folder: " + s.Dir; !strings.Contains(second.Output.String(), want) {
		t.Errorf("the output is %q, want %q", second.Output, want)
	}
	if now := system.ReadEndpoints(t, s.Dir); now != before {
		t.Errorf("endpoints.json is %v, want %v", now, before)
	}
	c := s.Client(t, system.NewOwner())
	system.CheckResult(t, system.Await(t, c, system.UploadMultipart(t, c, "a.txt", "text/plain", []byte("still here")).FileID), system.Count("still here"))
}

// TestInterruptDrains: after Ctrl-C, uploads in progress finish, the server exits with status 0, and all files exist
// after the next start.
func TestInterruptDrains(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.ShortLease)
	owner := system.NewOwner()
	c := s.Client(t, owner)
	ctx := system.Within(t)
	before := system.UploadMany(ctx, t, c, 10)

	// Half of a multipart upload is sent before the signal.
	text := system.RandomText(141, 5000)
	half := newGate(text)
	type answer struct {
		file client.File
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		file, err := c.PostFile(ctx, client.Posted{FileName: "half.txt", ContentType: "text/plain", Content: half})
		answers <- answer{file, err}
	}()
	<-half.reached
	// The upload is in progress once its item is in the table.
	system.Eventually(t, func() error { return listHas(ctx, c, "half.txt") })
	// A request with wait= returns the current state after the signal.
	pending := system.Reserve(t, c, "p.txt", "text/plain", "x")
	held := make(chan error, 1)
	go func() {
		file, err := c.Get(ctx, pending.FileID, time.Minute)
		if err == nil && file.Status != client.Pending {
			err = fmt.Errorf("the file is %s, want status %s", system.JSON(file), client.Pending)
		}
		held <- err
	}()
	system.Eventually(t, func() error { // the upload, the waiting request and the request for the metrics
		if _, body := system.Get(t, s.Operator+"/metrics"); !strings.Contains(body, "\nassay_http_requests_in_flight 3\n") {
			return errors.New("the metrics do not contain assay_http_requests_in_flight 3")
		}
		return nil
	})
	done := make(chan int, 1)
	go func() { done <- s.Program.Interrupt(t) }()
	system.Eventually(t, func() error { return gone(ctx, s.HTTP) })
	close(half.open)
	got := <-answers
	if got.err != nil {
		t.Errorf("the upload in progress returned %v, want no error", got.err)
	}
	if err := <-held; err != nil {
		t.Errorf("the waiting request returned %v, want no error", err)
	}
	if status := <-done; status != 0 {
		t.Errorf("exit status %d, want 0", status)
	}

	s.Restart(t)
	for id, end := range before {
		file := system.Await(t, c, id)
		if want := map[string]string{client.CompletedEvent: client.Completed, client.FailedEvent: client.Failed}[end]; file.Status != want {
			t.Errorf("%s is %s, want %s", id, file.Status, want)
		}
	}
	if got.err == nil {
		system.CheckResult(t, system.Await(t, c, got.file.FileID), system.Count(text))
	}
}
