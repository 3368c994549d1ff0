package recovery

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestReplayFailsAgain: a replay deletes its dead letter. If the item fails again because of a fault, its new dead letter
// names the replayed one. Dead letters show their item and its owner's digest, and are shown and dropped at the operator
// address only.
func TestReplayFailsAgain(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, system.NoSweep)
	hiding := system.StartHidingBucket(t, c.System)
	ingest := c.Service(t, "ingest")
	query := c.Service(t, "query")
	c.Front(t, ingest, query)
	c.Service(t, "analyzer", "ASSAY_S3_ENDPOINT="+hiding.URL)
	owner := system.NewOwner()
	s, operator, api := system.System{HTTP: ingest.Operator}, system.OperatorClient(t, ingest.Operator), c.Client(t, owner)
	file := system.UploadMultipart(t, api, "a.txt", "text/plain", []byte("one two"))
	before := system.Await(t, api, file.FileID)
	first := system.DeadLetters(t, operator, file.FileID, 1)[0]
	digest := sha256.Sum256([]byte(owner))
	want := client.DeadLetter{
		Sequence: first.Sequence, Consumer: "analyzer-textfile", Subject: "assay.file.uploaded." + file.FileID, Area: "textfile", Class: "missing",
		Reason: system.MissingBytes, Attempts: 1, First: first.First, Last: first.Last, EventID: first.EventID, Type: "assay.v1.FileUploaded",
		Item: file.FileID, Name: "a.txt", Path: "/v1/files/" + file.FileID, Owner: hex.EncodeToString(digest[:6]),
	}
	if !reflect.DeepEqual(first, want) || before.ErrorMessage != want.Reason {
		t.Errorf("the dead letter is %+v of a file with the error %q, want %+v", first, before.ErrorMessage, want)
	}
	shown, err := operator.DeadLetter(system.Within(t), first.Sequence)
	payload := string(shown.Payload)
	if err != nil || !strings.Contains(strings.ReplaceAll(payload, " ", ""), `"fileName":"a.txt"`) || !strings.Contains(payload, want.Owner) || strings.Contains(payload, owner) {
		t.Errorf("DeadLetter = %+v, %v; want the payload of a.txt with the digest of the owner", shown, err)
	}

	replay := client.BulkRequest{Sequence: first.Sequence}
	done, err := operator.ReplayDead(system.Within(t), replay)
	if err != nil || done.Done != 1 || done.Failed != 0 {
		t.Fatalf("ReplayDead = %+v, %v; want 1 done", done, err)
	}
	var second client.DeadLetter
	system.Eventually(t, func() error {
		all, _, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Class: "missing"}, 0, 10)
		if err != nil || len(all) != 1 || all[0].Sequence == first.Sequence {
			return fmt.Errorf("the dead letters are %+v, %w, want a new one in place of %d", all, err, first.Sequence)
		}
		second = all[0]
		return nil
	})
	if second.ReplayOf != first.Sequence {
		t.Errorf("the new dead letter is %+v, want it to name %d", second, first.Sequence)
	}
	after := system.Await(t, api, file.FileID)
	if after.Status != client.Failed || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("after the replay, the file is %s, want it FAILED again", system.JSON(after))
	}
	if again, err := operator.ReplayDead(system.Within(t), replay); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("the second replay of the dead letter: %+v, %v; want 404", again, err)
	}
	if none, _, err := operator.DeadLetters(system.Within(t), client.DeadFilter{Class: "crashed"}, 0, 10); err != nil || len(none) != 0 {
		t.Errorf("the dead letters of crashes are %+v, %v; want none", none, err)
	}
	pdf := system.Await(t, api, system.UploadMultipart(t, api, "a.pdf", "text/plain", []byte("%PDF-1.7\n\x00\x00")).FileID)
	if pdf.Status != client.Failed || pdf.ErrorMessage != system.MissingBytes {
		t.Fatalf("a hidden file is %s, want FAILED", system.JSON(pdf))
	}
	hiding.Hidden.Store(false)
	system.DeadLetters(t, operator, pdf.FileID, 1)
	all, err := operator.ReplayDead(system.Within(t), client.BulkRequest{DeadFilter: client.DeadFilter{Class: "missing"}})
	if err != nil || all.Done != 2 {
		t.Fatalf("ReplayDead = %+v, %v; want 2 done", all, err)
	}
	system.CheckResult(t, system.Await(t, api, file.FileID), system.Count("one two"))
	if pdf = system.Await(t, api, pdf.FileID); pdf.Status != client.Failed || !strings.Contains(pdf.ErrorMessage, "a PDF document") {
		t.Errorf("after the replay, the PDF is %s, want FAILED because it is not text", system.JSON(pdf))
	}
	system.NoDeadLetters(t, c.System, operator, "ASSAY_WORK_TEXTFILE") // a PDF as text is not a fault

	hiding.Hidden.Store(true)
	file = system.UploadMultipart(t, api, "b.txt", "text/plain", []byte("one two"))
	first = system.DeadLetters(t, operator, file.FileID, 1)[0]
	system.Eventually(t, func() error {
		_, metrics := system.Get(t, query.Operator+"/metrics")
		for _, want := range []string{`assay_dead_letters{area="textfile",reason="missing"} 1`, `assay_dead_letters{area="none",reason="crashed"} 0`} {
			if !strings.Contains(metrics, want) {
				return fmt.Errorf("the metrics of query do not contain %s", want)
			}
		}
		return nil
	})
	for body, field := range map[string]string{
		`{"sequence":0}`: "body.sequence", fmt.Sprintf(`{"sequence":%d,"reason":"object"}`, first.Sequence): "body.sequence", `{"max":0}`: "body.max",
	} {
		resp, answer := s.Ask(t, http.MethodPost, "/v1/dead/drop", system.JSONHeader, body)
		if p := system.Refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("drop of %s: %s, want one error of %s", body, answer, field)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		resp, answer := s.Ask(t, method, "/v1/dead/0", nil, "")
		system.Refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request")
	}
	system.DeadLetters(t, operator, file.FileID, 1)

	if dropped, err := operator.DropDead(system.Within(t), client.BulkRequest{DeadFilter: client.DeadFilter{Reason: "OBJECT", To: time.Now()}}); err != nil || dropped.Done != 1 {
		t.Errorf("DropDead = %+v, %v; want 1 done", dropped, err)
	}
	system.DeadLetters(t, operator, file.FileID, 0)
	if _, err := operator.DeadLetter(system.Within(t), first.Sequence); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a dropped dead letter: %v, want 404", err)
	}
	if _, err := api.DeadLetter(system.Within(t), first.Sequence); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a dead letter at the public address: %v, want 404", err)
	}
	for _, path := range []string{"/openapi.json"} {
		resp, body := s.Ask(t, "GET", path, nil, "")
		if resp.StatusCode != 200 || !strings.Contains(body, "/v1/dead/replay") {
			t.Errorf("%s at the operator address: %d, want 200 with /v1/dead/replay", path, resp.StatusCode)
		}
	}
}
