package uploads

import (
	"net/http"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// BucketNoticeIsEnough proves that the file of a client that puts its bytes and makes no other call is analyzed, and
// that both events contain the request id of the reservation.
func BucketNoticeIsEnough(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	uploads, ends := s.Listen(t, "assay.file.uploaded.*"), s.Listen(t, "assay.analysis.completed.textfile.*")
	text := system.RandomText(21, 300)

	const requestID = "e2e-notice-only.1"
	reserved := system.ReserveAs(t, s, c.OwnerID(), requestID, "silent.txt", text)
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d, want 200: %s", status, body)
	}
	system.CheckResult(t, system.Await(t, c, reserved.FileID), system.Count(text))
	for _, sub := range []*nats.Subscription{uploads, ends} {
		msg := system.NextOf(t, sub, reserved.FileID)
		if got := msg.Header.Get("assay-request-id"); got != requestID {
			t.Errorf("%s has the request id %q, want %q", msg.Subject, got, requestID)
		}
	}
	if ids := s.Outcomes(t, s.JetStream(t), reserved.FileID); len(ids) != 1 {
		t.Errorf("got outcomes %v, want one", ids)
	}
}

// NoticesAreOneEvent proves that a finished upload causes one FileUploaded and one AnalysisCompleted, regardless of how
// often the bucket and the client report it.
func NoticesAreOneEvent(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	uploads := s.Listen(t, "assay.file.uploaded.*")
	file := system.UploadPresigned(t, c, "notified.txt", "text/plain", []byte(system.RandomText(22, 20_000)))
	for range 5 {
		if _, err := c.Uploaded(system.Within(t), file.FileID); err != nil {
			t.Fatal(err)
		}
	}
	system.Await(t, c, file.FileID)
	if _, err := c.Uploaded(system.Within(t), file.FileID); err != nil {
		t.Fatal(err)
	}
	ids := s.Announced(t, uploads, file.FileID)
	if len(ids) != 1 {
		t.Errorf("got FileUploaded ids %v, want one for all reports", ids)
	}
	if ids := s.Outcomes(t, s.JetStream(t), file.FileID); len(ids) != 1 {
		t.Errorf("got outcomes %v, want one", ids)
	}
}
