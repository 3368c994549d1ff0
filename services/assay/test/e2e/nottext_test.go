package e2e

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/client"
)

// notText are the first bytes of formats, from their specifications: ISO 32000
// 7.5.2, ITU T.81 with JFIF 1.02, RFC 1952, and the System V ABI.
var notText = map[string]struct{ content, says string }{
	"pdf":  {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"},
	"jpeg": {"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xdb", "an image in the format JPEG"},
	"gzip": {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x4b\x4c\x4a\x06\x00\xc2\x41\x24\x35\x03\x00\x00\x00", "gzip-compressed data"},
	"elf":  {"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00\x01\x00\x00\x00" + strings.Repeat("\x00", 40), "an ELF"},
}

// notTextFails: content that is not text ends as FAILED with a reason that names its format,
// an event and a dead letter; a retry has the same result.
func notTextFails(t *testing.T, s system) {
	for format, sample := range notText {
		for wayName, upload := range ways {
			t.Run(format+"/"+wayName, func(t *testing.T) {
				t.Parallel()
				c := s.client(t, newOwner())
				dead, ends := s.listen(t, "assay.dead.analyzer-textfile"), s.listen(t, "assay.analysis.failed.textfile.*")
				file := upload(t, c, "sample."+format, "text/plain", []byte(sample.content))
				first := failedOnce(t, c, file.FileID, sample.says, dead, ends)

				again, err := c.Retry(within(t), file.FileID)
				if err != nil || again.Status != client.Pending || again.ErrorMessage != "" {
					t.Fatalf("retry: %s, %v", show(again), err)
				}
				second := failedOnce(t, c, file.FileID, sample.says, dead, ends)
				if first == second {
					t.Errorf("both failures have the event id %s", first)
				}
				if ids := s.outcomes(t, s.jetStream(t), file.FileID); len(ids) != 2 {
					t.Errorf("outcomes %v, want two", ids)
				}
			})
		}
	}
}

// failedOnce checks a file that fails, its event and its dead letter, and
// returns the event's id.
func failedOnce(t *testing.T, c *client.Client, fileID, says string, dead, ends *nats.Subscription) string {
	t.Helper()
	file := final(t, c, fileID)
	if file.Status != client.Failed || !strings.Contains(file.ErrorMessage, says) || file.Result != nil {
		t.Errorf("the file is %s, want FAILED with %q", show(file), says)
	}
	if listed := onlyFile(t, c); listed.Status != client.Failed || listed.ErrorMessage != file.ErrorMessage {
		t.Errorf("the list shows %s", show(listed))
	}
	event := nextOf(t, ends, fileID)
	if got := eventField(t, event.Data, "errorMessage"); got != file.ErrorMessage {
		t.Errorf("AnalysisFailed says %q, want %q", got, file.ErrorMessage)
	}
	if got := event.Header.Get("ce-type"); got != "assay.v1.AnalysisFailed" {
		t.Errorf("the event is a %s", got)
	}
	deadLetter := next(t, dead)
	for eventField(t, deadLetter.Data, "fileId") != fileID {
		deadLetter = next(t, dead)
	}
	for header, want := range map[string]string{
		"assay-dead-reason": file.ErrorMessage, "assay-dead-attempts": "1", "assay-dead-consumer": "analyzer-textfile",
		"assay-dead-subject": "assay.file.uploaded." + fileID, "ce-type": "assay.v1.FileUploaded",
	} {
		if got := deadLetter.Header.Get(header); got != want {
			t.Errorf("the dead letter has %s %q, want %q", header, got, want)
		}
	}
	return event.Header.Get("ce-id")
}

// unknownCharsetFails: an unknown charset is an error, not a guess.
func unknownCharsetFails(t *testing.T, s system) {
	c := s.client(t, newOwner())
	file := final(t, c, presigned(t, c, "a.txt", "text/plain; charset=klingon", []byte("nuqneH")).FileID)
	if file.Status != client.Failed || !strings.Contains(file.ErrorMessage, "klingon") {
		t.Errorf("the file is %s", show(file))
	}
}

// onlyFailuresAreRetried: a retry of anything else is 409.
func onlyFailuresAreRetried(t *testing.T, s system) {
	c := s.client(t, newOwner())
	done := multipartPost(t, c, "a.txt", "text/plain", []byte("done"))
	final(t, c, done.FileID)
	waiting := reserve(t, c, "b.txt", "text/plain", "waiting")
	for _, id := range []string{done.FileID, waiting.FileID} {
		_, err := c.Retry(within(t), id)
		problem, ok := errors.AsType[*client.Problem](err)
		if !ok || problem.Status != http.StatusConflict || problem.Type != "urn:assay:problem:not-failed" {
			t.Errorf("retry of %s: %v", id, err)
		}
	}
	checkResult(t, final(t, c, done.FileID), count("done"))

	// Without its bytes a file would be PENDING with nothing to analyze.
	lost := multipartPost(t, c, "c.pdf", "text/plain", []byte(notText["pdf"].content))
	before := final(t, c, lost.FileID)
	key := attribute(t, s.meta(t, lost.FileID), "s3Key")
	if _, err := s.objects().DeleteObject(within(t), &s3.DeleteObjectInput{Bucket: &s.Bucket, Key: &key}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Retry(within(t), lost.FileID)
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusConflict || problem.Type != "urn:assay:problem:not-uploaded" {
		t.Errorf("retry without bytes: %v", err)
	}
	if after := final(t, c, lost.FileID); after.Status != client.Failed || !after.UpdatedAt.Equal(before.UpdatedAt) {
		t.Errorf("after a retry without bytes the file is %s", show(after))
	}
}
