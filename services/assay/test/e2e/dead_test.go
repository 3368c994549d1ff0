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

// dead runs `assay dead …` at an operator address and returns its output.
func dead(t *testing.T, operator string, args ...string) string {
	t.Helper()
	p := launch(t, "assay", []string{"ASSAY_OPERATOR=" + operator}, append([]string{"dead"}, args...)...)
	if status := p.end(t); status != 0 {
		t.Fatalf("assay dead %v has the exit status %d: %s", args, status, p.output)
	}
	return p.output.String()
}

// operatorClient returns a client of the operator address.
func operatorClient(t *testing.T, url string) *client.Client {
	t.Helper()
	return system{HTTP: url}.client(t, "")
}

// deadLetters waits for n dead letters of a file and returns them.
func deadLetters(t *testing.T, operator *client.Client, fileID string, want int) []client.DeadLetter {
	t.Helper()
	var mine []client.DeadLetter
	eventually(t, func() error {
		mine = nil
		all, more, err := operator.DeadLetters(t.Context(), client.DeadFilter{Consumer: "analyzer-textfile"}, 0, 1000)
		if err != nil || more {
			return errors.Join(err, errors.New("cannot list all"))
		}
		for _, deadLetter := range all {
			if deadLetter.Item == fileID {
				mine = append(mine, deadLetter)
			}
		}
		if len(mine) != want {
			return fmt.Errorf("%d dead letters, want %d", len(mine), want)
		}
		return nil
	})
	return mine
}

// replayAfterAnOutage: files that ran out of attempts while S3 was down are
// FAILED; a replay by filter, once S3 is up again, completes them. A dry
// run before and a replay after change nothing.
func replayAfterAnOutage(t *testing.T, start starter) {
	const files = 3
	c := start(t, noSweep, "ASSAY_ATTEMPTS=1")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	speaker := c.client(t, newOwner())
	text := randomText(311, 100)
	var ids []string
	for i := range files {
		ids = append(ids, multipartPost(t, speaker, fmt.Sprint(i), "text/plain", []byte(text)).FileID)
	}
	c.s3.kill(t)
	c.service(t, "analyzer")
	for _, id := range ids {
		if file := final(t, speaker, id); file.Status != client.Failed {
			t.Fatalf("without S3 the file is %s", show(file))
		}
		deadLetters(t, operatorClient(t, ingest.operator), id, 1)
	}
	c.s3.start(t)

	filter := []string{"--consumer", "analyzer-textfile", "--from", "1h"}
	dry := dead(t, ingest.operator, append([]string{"replay", "--dry-run"}, filter...)...)
	for _, id := range ids {
		if file := final(t, speaker, id); file.Status != client.Failed || !strings.Contains(dry, id) {
			t.Errorf("after a dry run that says %s, the file is %s", dry, show(file))
		}
	}
	if said := dead(t, ingest.operator, append([]string{"replay", "--max", "1"}, filter...)...); strings.Count(said, "replayed") != 1 || !strings.Contains(said, "There are more") {
		t.Errorf("a replay of one dead letter prints %s", said)
	}
	dead(t, ingest.operator, append([]string{"replay", "--rate", "1000"}, filter...)...)
	js := c.jetStream(t)
	want := map[string]int{}
	for _, id := range ids {
		checkResult(t, final(t, speaker, id), count(text))
		want[id] = len(c.outcomes(t, js, id))
		if want[id] != 2 {
			t.Errorf("%d outcomes of %s, want one that failed and one that completed", want[id], id)
		}
	}
	again := dead(t, ingest.operator, append([]string{"replay"}, filter...)...)
	if n := strings.Count(again, "skipped: the file is COMPLETED"); n != files {
		t.Errorf("a replay of what is done says %s", again)
	}
	for _, id := range ids {
		checkResult(t, final(t, speaker, id), count(text))
		if n := len(c.outcomes(t, js, id)); n != want[id] {
			t.Errorf("%d outcomes of %s, want %d", n, id, want[id])
		}
	}
}

// TestReplayOfWhatFailsAgain: a dead letter is replayed once; the next failure has
// another dead letter. Dead letters are shown and dropped on the operator address
// only.
func TestReplayOfWhatFailsAgain(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), noSweep)
	operator, speaker := operatorClient(t, s.Operator), s.client(t, newOwner())
	file := multipartPost(t, speaker, "a.pdf", "text/plain", []byte(notText["pdf"].content))
	before := final(t, speaker, file.FileID)
	first := deadLetters(t, operator, file.FileID, 1)[0]
	if !strings.Contains(first.Reason, "a PDF document") || first.Attempts != 1 || first.Subject != "assay.file.uploaded."+file.FileID || first.Payload != nil {
		t.Errorf("the dead letter is %+v", first)
	}
	shown, err := operator.DeadLetter(within(t), first.Sequence)
	if err != nil || !strings.Contains(string(shown.Payload), `"fileName":"a.pdf"`) && !strings.Contains(string(shown.Payload), `"fileName": "a.pdf"`) {
		t.Errorf("shown: %+v, %v", shown, err)
	}

	replay := client.BulkRequest{Sequence: first.Sequence}
	done, err := operator.ReplayDead(within(t), replay)
	if err != nil || done.Done != 1 || done.Failed != 0 {
		t.Fatalf("replay: %+v, %v", done, err)
	}
	deadLetters(t, operator, file.FileID, 2)
	after := final(t, speaker, file.FileID)
	if after.Status != client.Failed || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("after the replay the file is %s", show(after))
	}
	again, err := operator.ReplayDead(within(t), replay)
	if err != nil || again.Done != 0 || len(again.Results) != 1 || !strings.Contains(again.Results[0].Note, "failed again since") {
		t.Errorf("the same dead letter again: %+v, %v", again, err)
	}
	if same := final(t, speaker, file.FileID); !same.UpdatedAt.Equal(after.UpdatedAt) {
		t.Errorf("after the same dead letter again the file is %s", show(same))
	}

	for body, field := range map[string]string{
		`{"sequence":0}`: "body.sequence", fmt.Sprintf(`{"sequence":%d,"reason":"pdf"}`, first.Sequence): "body.sequence", `{"max":0}`: "body.max",
	} {
		resp, answer := system{HTTP: s.Operator}.ask(t, http.MethodPost, "/v1/dead/drop", jsonHeader, body)
		if p := refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("drop of %s: %s", body, answer)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		resp, answer := system{HTTP: s.Operator}.ask(t, method, "/v1/dead/0", nil, "")
		refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request")
	}
	deadLetters(t, operator, file.FileID, 2)

	if dropped, err := operator.DropDead(within(t), client.BulkRequest{DeadFilter: client.DeadFilter{Reason: "pdf", To: time.Now()}}); err != nil || dropped.Done != 2 {
		t.Errorf("drop: %+v, %v", dropped, err)
	}
	deadLetters(t, operator, file.FileID, 0)
	gone, isProblem := errors.AsType[*client.Problem](second(operator.DeadLetter(within(t), first.Sequence)))
	if !isProblem || gone.Status != 404 {
		t.Errorf("a dropped dead letter: %v", gone)
	}
	if outside, isProblem := errors.AsType[*client.Problem](second(speaker.DeadLetter(within(t), first.Sequence))); !isProblem || outside.Status != 404 {
		t.Errorf("on the public address: %v", outside)
	}
	for _, path := range []string{"/openapi.json", "/docs"} {
		resp, body := system{HTTP: s.Operator}.ask(t, "GET", path, nil, "")
		if resp.StatusCode != 200 || !strings.Contains(body, "/v1/dead/replay") {
			t.Errorf("%s of the address for operators: %d", path, resp.StatusCode)
		}
	}
}

func second[T any](_ T, err error) error { return err }
