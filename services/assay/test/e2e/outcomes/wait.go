package outcomes

import (
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// WaitHoldsTheResponse proves that a wait ends when the file is final or deleted, or when the time is up.
func WaitHoldsTheResponse(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(71, 500)
	reserved := system.Reserve(t, c, "awaited.txt", "text/plain", text)

	t.Run("until the time is up", func(t *testing.T) {
		const wait = 1500 * time.Millisecond
		began := time.Now()
		file, err := c.Get(system.Within(t), reserved.FileID, wait)
		if took := time.Since(began); err != nil || file.Status != client.Pending || took < wait || took > wait+10*time.Second {
			t.Errorf("%s after %s, %v; want PENDING after %s", file.Status, took, err, wait)
		}
	})
	t.Run("until it is final", func(t *testing.T) {
		answers := waiting(t, c, reserved.FileID)
		if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
			t.Fatalf("PUT returned %d %s, want 200", status, body)
		}
		for range readers {
			got := <-answers
			if got.err != nil || got.took > 30*time.Second {
				t.Fatalf("got %v after %s, want the file within 30s", got.err, got.took)
			}
			system.CheckResult(t, got.file, system.Count(text))
		}
	})
	t.Run("not for a final file", func(t *testing.T) {
		began := time.Now()
		file, err := c.Get(system.Within(t), reserved.FileID, time.Minute)
		if took := time.Since(began); err != nil || file.Status != client.Completed || took > 30*time.Second {
			t.Errorf("%s after %s, %v; want COMPLETED within 30s", file.Status, took, err)
		}
	})
	t.Run("until it is deleted", func(t *testing.T) {
		gone := system.Reserve(t, c, "gone.txt", "text/plain", text)
		answers := waiting(t, c, gone.FileID)
		began := time.Now()
		if err := c.Delete(system.Within(t), gone.FileID); err != nil {
			t.Fatal(err)
		}
		for range readers {
			got := <-answers
			if took := time.Since(began); !system.IsProblem(got.err, http.StatusNotFound) || took > 30*time.Second {
				t.Fatalf("got %v, %v, %s after the delete, want 404 within 30s", got.file, got.err, took)
			}
		}
	})
}

// readers is the number of requests that wait for a file at the same time.
const readers = 20

// answer is the response to a request that waited.
type answer struct {
	file client.File
	err  error
	took time.Duration
}

// waiting starts readers that wait for a file, and returns when the server has held all of their requests for a while.
func waiting(t *testing.T, c *client.Client, fileID string) <-chan answer {
	t.Helper()
	answers := make(chan answer, readers)
	sent := make(chan error, 2*readers)
	ctx := httptrace.WithClientTrace(system.Within(t), &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) { sent <- info.Err }})
	for range readers {
		go func() {
			began := time.Now()
			file, err := c.Get(ctx, fileID, 50*time.Second)
			answers <- answer{file, err, time.Since(began)}
		}()
	}
	for range readers {
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	select {
	case early := <-answers:
		t.Fatalf("got %v, %v from a file that is not final, want no response", early.file, early.err)
	case <-time.After(300 * time.Millisecond): // the absence of a response can only be observed by waiting
	}
	return answers
}
