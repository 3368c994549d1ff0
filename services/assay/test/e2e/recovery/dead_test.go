package recovery

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestReplayFailsAgain: a dead letter is replayed only once; another failure creates another dead letter. Dead letters
// are shown and dropped at the operator address only.
func TestReplayFailsAgain(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.NoSweep)
	operator, api := system.OperatorClient(t, s.Operator), s.Client(t, system.NewOwner())
	file := system.UploadMultipart(t, api, "a.pdf", "text/plain", []byte("%PDF-1.7\n\x00\x00"))
	before := system.Await(t, api, file.FileID)
	first := system.DeadLetters(t, operator, file.FileID, 1)[0]
	if !strings.Contains(first.Reason, "a PDF document") || first.Attempts != 1 || first.Subject != "assay.file.uploaded."+file.FileID || first.Payload != nil {
		t.Errorf("the dead letter is %+v, want one of a PDF document after 1 attempt, without payload", first)
	}
	shown, err := operator.DeadLetter(system.Within(t), first.Sequence)
	if err != nil || !strings.Contains(string(shown.Payload), `"fileName":"a.pdf"`) && !strings.Contains(string(shown.Payload), `"fileName": "a.pdf"`) {
		t.Errorf("DeadLetter = %+v, %v; want the payload of a.pdf", shown, err)
	}

	replay := client.BulkRequest{Sequence: first.Sequence}
	done, err := operator.ReplayDead(system.Within(t), replay)
	if err != nil || done.Done != 1 || done.Failed != 0 {
		t.Fatalf("ReplayDead = %+v, %v; want 1 done", done, err)
	}
	system.DeadLetters(t, operator, file.FileID, 2)
	after := system.Await(t, api, file.FileID)
	if after.Status != client.Failed || !after.UpdatedAt.After(before.UpdatedAt) {
		t.Errorf("after the replay, the file is %s, want it FAILED again", system.JSON(after))
	}
	again, err := operator.ReplayDead(system.Within(t), replay)
	if err != nil || again.Done != 0 || len(again.Results) != 1 || !strings.Contains(again.Results[0].Note, "since failed again") {
		t.Errorf("the second replay of the dead letter: %+v, %v; want it skipped", again, err)
	}
	if same := system.Await(t, api, file.FileID); !same.UpdatedAt.Equal(after.UpdatedAt) {
		t.Errorf("after the second replay, the file is %s, want it unchanged", system.JSON(same))
	}

	for body, field := range map[string]string{
		`{"sequence":0}`: "body.sequence", fmt.Sprintf(`{"sequence":%d,"reason":"pdf"}`, first.Sequence): "body.sequence", `{"max":0}`: "body.max",
	} {
		resp, answer := system.System{HTTP: s.Operator}.Ask(t, http.MethodPost, "/v1/dead/drop", system.JSONHeader, body)
		if p := system.Refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request"); len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("drop of %s: %s, want one error of %s", body, answer, field)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		resp, answer := system.System{HTTP: s.Operator}.Ask(t, method, "/v1/dead/0", nil, "")
		system.Refused(t, resp, answer, http.StatusUnprocessableEntity, "invalid-request")
	}
	system.DeadLetters(t, operator, file.FileID, 2)

	if dropped, err := operator.DropDead(system.Within(t), client.BulkRequest{DeadFilter: client.DeadFilter{Reason: "pdf", To: time.Now()}}); err != nil || dropped.Done != 2 {
		t.Errorf("DropDead = %+v, %v; want 2 done", dropped, err)
	}
	system.DeadLetters(t, operator, file.FileID, 0)
	if _, err := operator.DeadLetter(system.Within(t), first.Sequence); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a dropped dead letter: %v, want 404", err)
	}
	if _, err := api.DeadLetter(system.Within(t), first.Sequence); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("a dead letter at the public address: %v, want 404", err)
	}
	for _, path := range []string{"/openapi.json"} {
		resp, body := system.System{HTTP: s.Operator}.Ask(t, "GET", path, nil, "")
		if resp.StatusCode != 200 || !strings.Contains(body, "/v1/dead/replay") {
			t.Errorf("%s at the operator address: %d, want 200 with /v1/dead/replay", path, resp.StatusCode)
		}
	}
}
