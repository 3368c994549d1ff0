package linecount

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/cmd"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

const text = "one\ntwo\nthree\n"

// upload reserves and uploads a text, and returns the id of its line count.
func upload(t *testing.T, c *client.Client) string {
	t.Helper()
	id, to, err := c.ReserveLineCount(system.Within(t), "lines.txt", int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := system.Put(t, to, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d, want 200: %s", status, body)
	}
	return id
}

// report reports that an upload is finished.
func report(t *testing.T, s system.System, owner, id string) {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/linecounts/"+id+"/uploaded", map[string]string{"X-Owner-Id": owner}, "")
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("the report of an upload returned %d, want 202: %s", resp.StatusCode, body)
	}
}

func check(t *testing.T, c *client.Client, id string, status string, lines int64) client.LineCount {
	t.Helper()
	got, err := c.WaitLineCount(system.Within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != status || got.Lines != lines {
		t.Errorf("the line count is %+v, want %s with %d lines", got, status, lines)
	}
	return got
}

// linesAreCounted: an uploaded text becomes COMPLETED with its number of lines, which is read, announced and listed.
func linesAreCounted(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	id := upload(t, c)
	report(t, s, owner, id)
	check(t, c, id, client.Completed, 3)
	for e, err := range c.Events(system.Within(t), client.Following{After: "0"}) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(e.Data), id) {
			continue // such as the event that the stream is ready
		}
		if e.Type != client.CompletedEvent {
			t.Errorf("the outcome is %s %s, want %s", e.Type, e.Data, client.CompletedEvent)
		}
		break
	}
	var out, errs bytes.Buffer
	args := []string{"linecount", "list", "--server", s.HTTP, "--owner", owner}
	if status := cmd.Run(system.Within(t), args, strings.NewReader(""), &out, &errs); status != 0 {
		t.Fatalf("assay linecount list: exit status %d, want 0: %s", status, errs.String())
	}
	if !strings.Contains(out.String(), id) || !strings.Contains(out.String(), "      3  lines.txt") {
		t.Errorf("assay linecount list printed %q, want the item with 3 lines", out.String())
	}
}

// noticeIsEnough: the notification of the bucket starts the count, without a report of the client.
func noticeIsEnough(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	check(t, c, upload(t, c), client.Completed, 3)
}

// pageIsServed: the page of line counts can be opened by its address.
func pageIsServed(t *testing.T, s system.System) {
	resp, body := s.Ask(t, http.MethodGet, "/linecounts", nil, "")
	if resp.StatusCode != http.StatusOK || !strings.Contains(body, "<title>Assay</title>") {
		t.Errorf("/linecounts returned %d, want 200 and the web app: %s", resp.StatusCode, body)
	}
}

// foreignCountsAreNotFound: only the owner can read a line count.
func foreignCountsAreNotFound(t *testing.T, s system.System) {
	id, _, err := s.Client(t, system.NewOwner()).ReserveLineCount(system.Within(t), "lines.txt", 3)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Client(t, system.NewOwner()).GetLineCount(system.Within(t), id, 0); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("another owner gets %+v, %v, want 404", got, err)
	}
}

// longTextsFail: a text with more lines than ASSAY_LINECOUNT_MAX becomes FAILED. With a larger setting, the replay of its
// dead letter completes it.
func longTextsFail(t *testing.T, start system.Starter) {
	c := start(t)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	strict := c.Service(t, "analyzer", "ASSAY_LINECOUNT_MAX=2")
	user := c.Client(t, system.NewOwner())
	id := upload(t, user)
	if got := check(t, user, id, client.Failed, 0); got.ErrorMessage != "the text has more than 2 lines" {
		t.Errorf("the reason is %q, want the text has more than 2 lines", got.ErrorMessage)
	}
	if status := strict.Interrupt(t); status != 0 {
		t.Fatalf("the analyzer ended with status %d, want 0", status)
	}
	c.Service(t, "analyzer")
	operator, err := client.New(client.Config{Server: c.Operator})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(operator.Close)
	system.Eventually(t, func() error { // the dead letter is stored after the item has failed
		letters, _, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Consumer: "analyzer-linecount"}, 0, 10)
		switch {
		case err != nil:
			return err
		case len(letters) != 1 || letters[0].Item != id:
			return fmt.Errorf("the dead letters are %+v, want one of %s", letters, id)
		}
		result, err := operator.ReplayDead(system.Within(t), client.BulkRequest{Sequence: letters[0].Sequence})
		if err == nil && result.Done != 1 {
			err = fmt.Errorf("the replay is %+v, want 1 done", result)
		}
		return err
	})
	check(t, user, id, client.Completed, 3)
}

// lostEventsAreRepaired: a sweep finds an uploaded text whose event was lost, as if ingest had crashed before it.
func lostEventsAreRepaired(t *testing.T, start system.Starter) {
	c := start(t, system.ShortLease, "ASSAY_SWEEP_EVERY=200ms")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer")
	owner, id := system.NewOwner(), uuid.Must(uuid.NewV7()).String()
	key := linecount.ObjectKey(id, int64(len(text)))
	if _, err := c.Objects().PutObject(system.Within(t), &s3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader(text)}); err != nil {
		t.Fatal(err)
	}
	store := linecount.NewStore(c.Tables(), linecount.Config{Table: "assay-linecounts"})
	if _, err := store.Create(system.Within(t), linecount.Item{ID: id, OwnerID: owner, FileName: "lines.txt", Key: key}); err != nil {
		t.Fatal(err)
	}
	check(t, c.Client(t, owner), id, client.Completed, 3)
}
