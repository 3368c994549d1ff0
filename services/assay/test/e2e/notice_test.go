package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/client"
)

// reserve reserves an upload of content.
func reserve(t *testing.T, c *client.Client, name, contentType string, content string) client.Reserved {
	t.Helper()
	reserved, err := c.Reserve(within(t), client.Reservation{FileName: name, Size: int64(len(content)), ContentType: contentType})
	if err != nil {
		t.Fatalf("reserve %s: %v", name, err)
	}
	if reserved.Status != client.Pending {
		t.Fatalf("a new reservation is %s", reserved.Status)
	}
	return reserved
}

// put sends the presigned request with content as its body, after change has
// modified it, and returns the status and the bucket's response.
func put(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) (int, string) {
	t.Helper()
	resp, body := exchange(t, putRequest(t, to, content, change))
	return resp.StatusCode, body
}

// tryPut is put, with status 0 if the bucket closed the connection.
func tryPut(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) (int, string) {
	t.Helper()
	resp, body, err := roundTrip(putRequest(t, to, content, change))
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, body
}

// putRequest returns the presigned request, modified by change unless that is nil.
func putRequest(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) *http.Request {
	t.Helper()
	req, err := putBytes(within(t), to, content)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	return req
}

func putBytes(ctx context.Context, to client.UploadRequest, content string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, to.Method, to.URL, strings.NewReader(content))
	if err != nil {
		return nil, err
	}
	for name, value := range to.Headers {
		req.Header.Set(name, value)
	}
	return req, nil
}

// bucketNoticeIsEnough: a client that puts its bytes and makes no other call gets
// its file analyzed, and the request id of its reservation reaches both events.
func bucketNoticeIsEnough(t *testing.T, s system) {
	c := s.client(t, newOwner())
	uploads, ends := s.listen(t, "assay.file.uploaded.*"), s.listen(t, "assay.analysis.completed.textfile.*")
	text := randomText(21, 300)

	const requestID = "e2e-notice-only.1"
	reserved := reserveAs(t, s, c.OwnerID(), requestID, "silent.txt", text)
	if status, body := put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("the bucket answered %d: %s", status, body)
	}
	checkResult(t, final(t, c, reserved.FileID), count(text))
	for _, sub := range []*nats.Subscription{uploads, ends} {
		msg := nextOf(t, sub, reserved.FileID)
		if got := msg.Header.Get("assay-request-id"); got != requestID {
			t.Errorf("%s carries the request id %q instead of %q", msg.Subject, got, requestID)
		}
	}
	if ids := s.outcomes(t, s.jetStream(t), reserved.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}

// noticesAreOneEvent: however often a finished upload is reported, by the bucket
// and by the client, it is one FileUploaded and one AnalysisCompleted.
func noticesAreOneEvent(t *testing.T, s system) {
	c := s.client(t, newOwner())
	uploads := s.listen(t, "assay.file.uploaded.*")
	file := presigned(t, c, "told.txt", "text/plain", []byte(randomText(22, 20_000)))
	for range 5 {
		if _, err := c.Uploaded(within(t), file.FileID); err != nil {
			t.Fatal(err)
		}
	}
	final(t, c, file.FileID)
	if _, err := c.Uploaded(within(t), file.FileID); err != nil {
		t.Fatal(err)
	}
	ids := s.announced(t, uploads, file.FileID)
	if len(ids) != 1 {
		t.Errorf("FileUploaded has the ids %v, want one for all repeats", ids)
	}
	if ids := s.outcomes(t, s.jetStream(t), file.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}

// announced returns the ids of FileUploaded of a file so far.
func (s system) announced(t *testing.T, uploads *nats.Subscription, fileID string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	// A marker after everything that was published for the file.
	conn := s.events(t)
	if err := conn.Publish("assay.file.uploaded."+fileID+"-mark", nil); err != nil {
		t.Fatal(err)
	}
	for {
		msg := next(t, uploads)
		if strings.HasSuffix(msg.Subject, fileID+"-mark") {
			break
		}
		if strings.HasSuffix(msg.Subject, fileID) {
			ids[msg.Header.Get("Nats-Msg-Id")] = true
		}
	}
	return ids
}

// nextOf returns the next message of a subscription about one file.
func nextOf(t *testing.T, sub *nats.Subscription, fileID string) *nats.Msg {
	t.Helper()
	for {
		if msg := next(t, sub); strings.HasSuffix(msg.Subject, "."+fileID) {
			return msg
		}
	}
}
