package system

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/assay-project/assay/services/assay/client"
)

// HoldNotices pauses the consumer of the bucket's notifications.
func (s System) HoldNotices(t *testing.T) {
	t.Helper()
	js := s.JetStream(t)
	Eventually(t, func() error {
		_, err := js.PauseConsumer(Within(t), "ASSAY_NOTICES", "ingest-notice", time.Now().Add(time.Hour))
		return err
	})
}

// Source returns the upload of a plain text.
func Source(name, text string) client.Source {
	return client.Source{
		Reservation: client.Reservation{FileName: name, Size: int64(len(text)), ContentType: "text/plain"}, Content: strings.NewReader(text),
	}
}

func posted(name, text, key string) client.Posted {
	return client.Posted{FileName: name, ContentType: "text/plain", Content: strings.NewReader(text), Key: key}
}

// UploadMany concurrently uploads numbered files, every seventh a PDF, by both kinds of upload. It returns the type of
// the expected outcome event by file id.
func UploadMany(ctx context.Context, t *testing.T, c *client.Client, files int) map[string]string {
	t.Helper()
	var mu sync.Mutex
	ends := map[string]string{}
	var uploads sync.WaitGroup
	numbers := make(chan int)
	for range 6 {
		uploads.Go(func() {
			for i := range numbers {
				name, content, end := fmt.Sprint(i), RandomText(uint64(i), 40), client.CompletedEvent
				if i%7 == 0 {
					content, end = "%PDF-1.7\n", client.FailedEvent
				}
				file, err := UploadEither(ctx, c, i%2 == 0, name, content)
				if err != nil {
					t.Errorf("upload %d: %v", i, err)
					continue
				}
				mu.Lock()
				ends[file.FileID] = end
				mu.Unlock()
			}
		})
	}
	for i := range files {
		numbers <- i
	}
	close(numbers)
	uploads.Wait()
	return ends
}

// UploadEither uploads a text by a presigned request if direct, and otherwise by a multipart request.
func UploadEither(ctx context.Context, c *client.Client, direct bool, name, content string) (client.File, error) {
	if direct {
		return c.Upload(ctx, Source(name, content))
	}
	return c.PostFile(ctx, posted(name, content, ""))
}

// OnlyFile returns the only file of an owner.
func OnlyFile(t *testing.T, c *client.Client) client.File {
	t.Helper()
	page, err := c.ListPage(Within(t), client.Listing{})
	if err != nil || len(page.Files) != 1 || page.NextCursor != "" {
		t.Fatalf("the list is %v, %v; want one file", page, err)
	}
	return page.Files[0]
}

// EventField returns a string field of an event's JSON, or "".
func EventField(t *testing.T, data []byte, field string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("the event is not JSON: %v: %s", err, data)
	}
	text, _ := fields[field].(string)
	return text
}

// Reserve reserves an upload of the given content.
func Reserve(t *testing.T, c *client.Client, name, contentType string, content string) client.Reserved {
	t.Helper()
	reserved, err := c.Reserve(Within(t), client.Reservation{FileName: name, Size: int64(len(content)), ContentType: contentType})
	if err != nil {
		t.Fatalf("reserve %s: %v", name, err)
	}
	if reserved.Status != client.Pending {
		t.Fatalf("the new reservation is %s, want PENDING", reserved.Status)
	}
	return reserved
}

// Put sends a presigned request with the given body, modified by change unless it is nil, and returns the status and
// body of the bucket's response.
func Put(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) (int, string) {
	t.Helper()
	resp, body := Exchange(t, putRequest(t, to, content, change))
	return resp.StatusCode, body
}

// TryPut is like Put, but returns status 0 and the error if the request failed.
func TryPut(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) (int, string) {
	t.Helper()
	resp, body, err := RoundTrip(putRequest(t, to, content, change))
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, body
}

// putRequest returns a presigned request with the given body, modified by change unless it is nil.
func putRequest(t *testing.T, to client.UploadRequest, content string, change func(*http.Request)) *http.Request {
	t.Helper()
	req, err := putBytes(Within(t), to, content)
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

// Announced returns the ids of the FileUploaded events of a file that have been published so far.
func (s System) Announced(t *testing.T, uploads *nats.Subscription, fileID string) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	// Publish a marker, which follows all events of the file.
	conn := s.Events(t)
	if err := conn.Publish("assay.file.uploaded."+fileID+"-mark", nil); err != nil {
		t.Fatal(err)
	}
	for {
		msg := Next(t, uploads)
		if strings.HasSuffix(msg.Subject, fileID+"-mark") {
			break
		}
		if strings.HasSuffix(msg.Subject, fileID) {
			ids[msg.Header.Get("Nats-Msg-Id")] = true
		}
	}
	return ids
}

// NextOf returns the next message about an item from a subscription.
func NextOf(t *testing.T, sub *nats.Subscription, fileID string) *nats.Msg {
	t.Helper()
	for {
		if msg := Next(t, sub); strings.HasSuffix(msg.Subject, "."+fileID) {
			return msg
		}
	}
}

// ReserveAs reserves an upload with a given owner and request id.
func ReserveAs(t *testing.T, s System, owner, requestID, name, text string) client.Reserved {
	t.Helper()
	resp, body := s.Ask(t, http.MethodPost, "/v1/files", map[string]string{
		"X-Owner-Id": owner, "X-Request-Id": requestID, "Content-Type": "application/json",
	}, JSON(client.Reservation{FileName: name, Size: int64(len(text)), ContentType: "text/plain"}))
	var reserved client.Reserved
	if err := json.Unmarshal([]byte(body), &reserved); err != nil || resp.StatusCode != http.StatusCreated {
		t.Fatalf("reserve: %d %s, want 201", resp.StatusCode, body)
	}
	if got := resp.Header.Get("X-Request-Id"); got != requestID {
		t.Errorf("the response has the request id %q, want %q", got, requestID)
	}
	if got := resp.Header.Get("Location"); got != "/v1/files/"+reserved.FileID {
		t.Errorf("Location is %q, want the path of %s", got, reserved.FileID)
	}
	return reserved
}

// Way is one of the two kinds of upload.
type Way func(t *testing.T, c *client.Client, name, contentType string, content []byte) client.File

// Ways contains both kinds of upload by name.
var Ways = map[string]Way{"presigned": UploadPresigned, "multipart": UploadMultipart}

// UploadPresigned reserves an upload, puts the bytes into the bucket, and makes the `uploaded` call.
func UploadPresigned(t *testing.T, c *client.Client, name, contentType string, content []byte) client.File {
	t.Helper()
	file, err := c.Upload(Within(t), client.Source{
		Reservation: client.Reservation{FileName: name, Size: int64(len(content)), ContentType: contentType},
		Content:     strings.NewReader(string(content)),
	})
	if err != nil {
		t.Fatalf("upload %s: %v", name, err)
	}
	return file
}

// UploadMultipart sends the bytes through the server in a multipart request.
func UploadMultipart(t *testing.T, c *client.Client, name, contentType string, content []byte) client.File {
	t.Helper()
	file, err := c.PostFile(Within(t), client.Posted{FileName: name, ContentType: contentType, Content: strings.NewReader(string(content))})
	if err != nil {
		t.Fatalf("post %s: %v", name, err)
	}
	return file
}

// Await waits until a file is in a final state, and returns it.
func Await(t *testing.T, c *client.Client, fileID string) client.File {
	t.Helper()
	file, err := c.Wait(Within(t), fileID)
	if err != nil {
		t.Fatalf("wait for %s: %v", fileID, err)
	}
	return file
}
