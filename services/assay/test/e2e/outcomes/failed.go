package outcomes

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// notText contains the first bytes of files by format, from the specifications ISO 32000 7.5.2, ITU T.81 with JFIF 1.02,
// RFC 1952, and the System V ABI.
var notText = map[string]struct{ content, reason string }{
	"pdf":  {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"},
	"jpeg": {"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb", "an image in the format JPEG"},
	"gzip": {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4a\x06\x00\xc2\x41\x24\x35\x03\x00\x00\x00", "gzip-compressed data"},
	"elf":  {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00\x01\x00\x00\x00" + strings.Repeat("\x00", 40), "an ELF"},
}

// filesThatAreNotTextFail: a file that is not text becomes FAILED with a reason that names its format, and causes an
// event, but no dead letter; a retry has the same outcome.
func filesThatAreNotTextFail(t *testing.T, s system.System) {
	for format, sample := range notText {
		for wayName, upload := range system.Ways {
			t.Run(format+"/"+wayName, func(t *testing.T) {
				t.Parallel()
				c := s.Client(t, system.NewOwner())
				dead, ends := s.Listen(t, "assay.dead.analyzer-textfile"), s.Listen(t, "assay.analysis.failed.textfile.*")
				file := upload(t, c, "sample."+format, "text/plain", []byte(sample.content))
				first := failedOnce(t, c, file.FileID, sample.reason, ends)

				again, err := c.Retry(system.Within(t), file.FileID)
				if err != nil || again.Status != client.Pending || again.ErrorMessage != "" {
					t.Fatalf("retry returned %s, %v; want PENDING without a message", system.JSON(again), err)
				}
				second := failedOnce(t, c, file.FileID, sample.reason, ends)
				if first == second {
					t.Errorf("both failures have the event id %s, want different ids", first)
				}
				if ids := s.Outcomes(t, s.JetStream(t), file.FileID); len(ids) != 2 {
					t.Errorf("outcomes %v, want two", ids)
				}
				acknowledged(t, s, file.FileID)
				for {
					letter, err := dead.NextMsg(time.Millisecond)
					if errors.Is(err, nats.ErrTimeout) {
						return
					}
					if err != nil || system.EventField(t, letter.Data, "fileId") == file.FileID {
						t.Fatalf("the dead letter %+v, %v, want none", letter, err)
					}
				}
			})
		}
	}
}

// acknowledged waits until no work of a file is in the stream, so that a dead letter would have been stored.
func acknowledged(t *testing.T, s system.System, fileID string) {
	t.Helper()
	js := s.JetStream(t)
	system.Eventually(t, func() error {
		work, err := js.Stream(system.Within(t), textfile.WorkStream)
		if err != nil {
			return err
		}
		info, err := work.Info(system.Within(t), jetstream.WithSubjectFilter("assay-work.*.*.file.uploaded."+fileID))
		if err == nil && len(info.State.Subjects) > 0 {
			err = fmt.Errorf("the messages %v are queued, want none", info.State.Subjects)
		}
		return err
	})
}

// faultsHaveDeadLetters: a file whose bytes are gone becomes FAILED, and its message a dead letter with the reason and the
// class.
func faultsHaveDeadLetters(t *testing.T, s system.System) {
	dead := s.Listen(t, "assay.dead.analyzer-textfile")
	file, _ := system.FailWithoutBytes(t, s, system.NewOwner(), "a.txt", "one two")
	deadLetter := system.Next(t, dead)
	for system.EventField(t, deadLetter.Data, "fileId") != file.FileID {
		deadLetter = system.Next(t, dead)
	}
	for header, want := range map[string]string{
		"assay-dead-reason": file.ErrorMessage, "assay-dead-class": "missing", "assay-dead-attempts": "1", "assay-dead-consumer": textfile.Consumer,
		"assay-dead-subject": textfile.UploadedSubject(file.FileID), "ce-type": "assay.v1.FileUploaded",
	} {
		if got := deadLetter.Header.Get(header); got != want {
			t.Errorf("header %s of the dead letter is %q, want %q", header, got, want)
		}
	}
}

// failedOnce waits until a file has failed, checks the file and its event, and returns the id of the event.
func failedOnce(t *testing.T, c *client.Client, fileID, reason string, ends *nats.Subscription) string {
	t.Helper()
	file := system.Await(t, c, fileID)
	if file.Status != client.Failed || !strings.Contains(file.ErrorMessage, reason) || file.Result != nil {
		t.Errorf("the file is %s, want FAILED with %q", system.JSON(file), reason)
	}
	if listed := system.OnlyFile(t, c); listed.Status != client.Failed || listed.ErrorMessage != file.ErrorMessage {
		t.Errorf("the list contains %s, want the same status and message", system.JSON(listed))
	}
	event := system.NextOf(t, ends, fileID)
	if got := system.EventField(t, event.Data, "errorMessage"); got != file.ErrorMessage {
		t.Errorf("AnalysisFailed has the message %q, want %q", got, file.ErrorMessage)
	}
	if got := event.Header.Get("ce-type"); got != "assay.v1.AnalysisFailed" {
		t.Errorf("the event type is %s, want assay.v1.AnalysisFailed", got)
	}
	return event.Header.Get("ce-id")
}

// onlyFailuresAreRetried: a retry of a file that is not FAILED, or that has no bytes, returns 409.
func onlyFailuresAreRetried(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	done := system.UploadMultipart(t, c, "a.txt", "text/plain", []byte("done"))
	system.Await(t, c, done.FileID)
	waiting := system.Reserve(t, c, "b.txt", "text/plain", "waiting")
	for _, id := range []string{done.FileID, waiting.FileID} {
		_, err := c.Retry(system.Within(t), id)
		problem, ok := errors.AsType[*client.Problem](err)
		if !ok || problem.Status != http.StatusConflict || problem.Type != "urn:assay:problem:not-failed" {
			t.Errorf("retry of %s returned %v, want 409 not-failed", id, err)
		}
	}
	system.CheckResult(t, system.Await(t, c, done.FileID), system.Count("done"))

	// A file without its bytes is not retried, because it would be PENDING with nothing to analyze.
	lost := system.UploadMultipart(t, c, "c.pdf", "text/plain", []byte(notText["pdf"].content))
	before := system.Await(t, c, lost.FileID)
	key := system.Attribute(t, s.Meta(t, lost.FileID), "s3Key")
	if _, err := s.Objects().DeleteObject(system.Within(t), &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Retry(system.Within(t), lost.FileID)
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusConflict || problem.Type != "urn:assay:problem:not-uploaded" {
		t.Errorf("retry without bytes returned %v, want 409 not-uploaded", err)
	}
	if after := system.Await(t, c, lost.FileID); after.Status != client.Failed || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("after a retry without bytes, the file is %s, want it unchanged", system.JSON(after))
	}
}
