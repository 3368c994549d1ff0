package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
)

// TestOneServerPerFolder: a second serve on a folder reports why it does not
// start, and has no other effect.
func TestOneServerPerFolder(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir())
	before := readEndpoints(t, s.dir)
	second := launch(t, "assay", []string{"ASSAY_ADDR=127.0.0.1:0"}, "serve", "--data", s.dir)
	if status := second.end(t); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
	if said := second.output.String(); !strings.Contains(said, "another assay serve is running on this data folder: "+s.dir) {
		t.Errorf("it says %q", said)
	}
	if now := readEndpoints(t, s.dir); now != before {
		t.Errorf("endpoints.json was %v and is %v", before, now)
	}
	c := s.client(t, newOwner())
	checkResult(t, final(t, c, multipartPost(t, c, "a.txt", "text/plain", []byte("still here")).FileID), count("still here"))
}

// TestInterruptDrains: Ctrl-C during uploads lets those in progress
// finish, exits 0, and the next start has all of them.
func TestInterruptDrains(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), shortLease)
	owner := newOwner()
	c := s.client(t, owner)
	ctx := within(t)
	before := uploadMany(ctx, t, c, 10)

	// A multipart upload that is half sent at the signal.
	text := randomText(141, 5000)
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
	// It is in progress once its item is in the table.
	eventually(t, func() error { return listHas(ctx, c, "half.txt") })
	// And a request with wait=: it gets the current state.
	pending := reserve(t, c, "p.txt", "text/plain", "x")
	held := make(chan error, 1)
	go func() {
		file, err := c.Get(ctx, pending.FileID, time.Minute)
		if err == nil && file.Status != client.Pending {
			err = fmt.Errorf("the file is %s", show(file))
		}
		held <- err
	}()
	eventually(t, func() error { // itself, the upload and the waiting one
		if _, body := s.ask(t, http.MethodGet, "/metrics", nil, ""); !strings.Contains(body, "\nassay_http_requests_in_flight 3\n") {
			return errors.New("the request is not held yet")
		}
		return nil
	})
	done := make(chan int, 1)
	go func() { done <- s.program.interrupt(t) }()
	eventually(t, func() error { return gone(ctx, s.HTTP) })
	close(half.open)
	got := <-answers
	if got.err != nil {
		t.Errorf("the upload in hand: %v", got.err)
	}
	if err := <-held; err != nil {
		t.Errorf("the request that was held: %v", err)
	}
	if status := <-done; status != 0 {
		t.Errorf("exit status %d, want 0", status)
	}

	s.restart(t)
	for id, end := range before {
		file := final(t, c, id)
		if want := map[string]string{client.CompletedEvent: client.Completed, client.FailedEvent: client.Failed}[end]; file.Status != want {
			t.Errorf("%s is %s, want %s", id, file.Status, want)
		}
	}
	if got.err == nil {
		checkResult(t, final(t, c, got.file.FileID), count(text))
	}
}

// TestBadSettingsAreNamed: serve does not start with invalid settings.
func TestBadSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for setting, says := range map[string]string{
		"ASSAY_ADDR=nowhere":            "ASSAY_ADDR",
		"ASSAY_OPERATOR_ADDR=nowhere":   "ASSAY_OPERATOR_ADDR",
		"ASSAY_SWEEP_RATE=0":            "ASSAY_SWEEP_RATE is 0",
		"ASSAY_RESERVATION_EXPIRES=1m":  "ASSAY_RESERVATION_EXPIRES is 1m0s: must be more than ASSAY_UPLOAD_EXPIRES",
		"ASSAY_DRAIN=soon":              "ASSAY_DRAIN is \"soon\", which is not a duration",
		"ASSAY_NATS_SYNC=never":         "never",
		"ASSAY_LEASE=1ms":               "ASSAY_LEASE is 1ms",
		"ASSAY_ADDR=0.0.0.0:0":          "ASSAY_ADDR is \"0.0.0.0:0\", which others can reach without credentials",
		"ASSAY_OPERATOR_ADDR=:0":        "ASSAY_OPERATOR_ADDR is \":0\", which others can reach without credentials",
		"ASSAY_NATS_ADDR=0.0.0.0:0":     "ASSAY_NATS_ADDR is \"0.0.0.0:0\", which others can reach without credentials",
		"ASSAY_DYNAMODB_ADDR=[::]:0":    "set ASSAY_ALLOW_ANONYMOUS=true",
		"ASSAY_PUBLIC_HOSTS=http://a.b": "ASSAY_PUBLIC_HOSTS: \"http://a.b\" is not a host name",
		"AWS_ACCESS_KEY_ID=AKIA":        "only one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set",
		"ASSAY_S3_ADDR=:9000":           "ASSAY_S3_ADDR is \":9000\": must be host:port",
		"ASSAY_NATS_ADDR=:4222":         "ASSAY_NATS_ADDR is \":4222\": must be host:port",
		"ASSAY_DYNAMODB_ADDR=8000":      "ASSAY_DYNAMODB_ADDR is \"8000\": must be host:port",
		"ASSAY_MAX_FILE_SIZE=0":         "ASSAY_MAX_FILE_SIZE is 0",
		"ASSAY_SQS_URL=nowhere":         "ASSAY_SQS_URL is \"nowhere\"",
		"ASSAY_ANALYZER_PARALLEL=none":  "ASSAY_ANALYZER_PARALLEL is \"none\"",
		"ASSAY_LOG_LEVEL=loud":          "ASSAY_LOG_LEVEL is \"loud\"",
	} {
		p := launch(t, "assay", []string{"ASSAY_ADDR=127.0.0.1:0", setting}, "serve", "--data", t.TempDir())
		want := 2
		if strings.HasSuffix(setting, "ADDR=nowhere") || setting == "ASSAY_NATS_SYNC=never" {
			want = 1 // not a usage error
		}
		if status := p.end(t); status != want {
			t.Errorf("%s: exit status %d, want %d", setting, status, want)
		}
		if said := p.output.String(); !strings.Contains(said, says) {
			t.Errorf("%s: it says %q", setting, said)
		}
	}
}

// servesItsDocuments: the document and the page that show the API are served.
func servesItsDocuments(t *testing.T, s system) {
	resp, body := s.ask(t, http.MethodGet, "/openapi.json", nil, "")
	for _, call := range []string{`"3.1.0"`, `"/v1/files"`, `"/v1/files/{id}/uploaded"`, `"/v1/files/{id}/retry"`, `"/v1/files/{id}/content"`, `"/v1/owners/{ownerId}/files"`, `"/v1/events"`, `"multipart/form-data"`} {
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, call) {
			t.Errorf("%d: the document does not have %s", resp.StatusCode, call)
		}
	}
	if resp, body = s.ask(t, http.MethodGet, "/docs", nil, ""); resp.StatusCode != http.StatusOK || !strings.Contains(body, "/v1/files") {
		t.Errorf("docs answers %d", resp.StatusCode)
	}
}
