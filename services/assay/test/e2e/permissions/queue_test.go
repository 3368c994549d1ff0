package permissions

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// queueName is the name of the queue in deploy/iam.
const queueName = "assay-notices"

// noticeQueue implements the part of the JSON protocol of SQS that ingest uses. Each message is redelivered until it is
// deleted.
type noticeQueue struct {
	url   string
	allow func(dynamolite.Access) bool

	mu       sync.Mutex
	messages map[string]string // bodies by receipt handle
	sent     int
	arrived  chan struct{} // closed when the next message arrives
	kept     int           // number of deletes still to be rejected
}

func startQueue(t *testing.T, allow func(dynamolite.Access) bool) *noticeQueue {
	q := &noticeQueue{allow: allow, messages: map[string]string{}, arrived: make(chan struct{}), kept: 1}
	server := httptest.NewServer(q)
	t.Cleanup(server.Close)
	q.url = server.URL + "/000000000000/" + queueName
	return q
}

func (q *noticeQueue) send(body string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent++
	q.messages[fmt.Sprint("handle-", q.sent)] = body
	close(q.arrived)
	q.arrived = make(chan struct{})
}

func (q *noticeQueue) left() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.messages) > 0 {
		return fmt.Errorf("the queue contains %d messages, want 0", len(q.messages))
	}
	return nil
}

func (q *noticeQueue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		QueueURL string `json:"QueueUrl"`
		Entries  []struct{ Id, ReceiptHandle string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.QueueURL != q.url {
		http.Error(w, fmt.Sprint(in.QueueURL, err), http.StatusBadRequest)
		return
	}
	_, call, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	access := dynamolite.Access{Key: system.Signer(r), Action: "sqs:" + strings.TrimSuffix(call, "Batch"), Resource: "arn:aws:sqs:us-east-1:000000000000:" + queueName}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	var answer any
	switch {
	case !q.allow(access):
		w.WriteHeader(http.StatusForbidden)
		answer = map[string]string{"__type": "com.amazonaws.sqs#AccessDeniedException"}
	case call == "ReceiveMessage":
		answer = q.receive(r)
	case call == "DeleteMessageBatch":
		q.mu.Lock()
		type entry map[string]any
		deleted, failed := []entry{}, []entry{}
		for _, e := range in.Entries {
			if q.kept > 0 { // so that the message is redelivered
				q.kept--
				failed = append(failed, entry{"Id": e.Id, "Code": "InternalError", "SenderFault": false})
				continue
			}
			delete(q.messages, e.ReceiptHandle)
			deleted = append(deleted, entry{"Id": e.Id})
		}
		q.mu.Unlock()
		answer = map[string]any{"Successful": deleted, "Failed": failed}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// receive handles a long poll for messages.
func (q *noticeQueue) receive(r *http.Request) any {
	for {
		q.mu.Lock()
		arrived := q.arrived
		messages := []map[string]string{}
		for handle, body := range q.messages {
			sum := md5.Sum([]byte(body))
			messages = append(messages, map[string]string{"MessageId": handle, "ReceiptHandle": handle, "Body": body, "MD5OfBody": hex.EncodeToString(sum[:])})
		}
		q.mu.Unlock()
		if len(messages) > 0 {
			return map[string]any{"Messages": messages}
		}
		select {
		case <-arrived:
		case <-r.Context().Done():
			return map[string]any{}
		}
	}
}

// queueIsEnough: an upload that is reported only by an SQS queue is analyzed. Although it is reported in every format of
// AWS, several times by the queue, and by the client, it causes one FileUploaded. Messages are deleted, even those that
// concern no object.
func queueIsEnough(t *testing.T, start system.Starter, allow func(dynamolite.Access) bool) {
	q := startQueue(t, allow)
	c := start(t, system.NoSweep, "ASSAY_SQS_URL="+q.url)
	ingest, query := c.Service(t, "ingest"), c.Service(t, "query")
	c.Front(t, ingest, query)
	c.Service(t, "analyzer")
	uploads := c.Listen(t, "assay.file.uploaded.*")
	owner := system.NewOwner()
	text := system.RandomText(323, 100)
	reserved := system.Reserve(t, c.Client(t, owner), "queued.txt", "text/plain", text)
	ingest.Kill(t) // so that the bucket's own notification is not consumed
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	notices, err := c.JetStream(t).Stream(system.Within(t), "ASSAY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	if err := notices.Purge(system.Within(t)); err != nil {
		t.Fatal(err)
	}

	c.Front(t, c.Service(t, "ingest"), query)
	user := c.Client(t, owner)
	key := system.ObjectOf(t, c.System, reserved.FileID)
	record := fmt.Sprintf(`{"Records":[{"eventSource":"aws:s3","eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"assay-files"},"object":{"key":%q}}}]}`, url.QueryEscape(key))
	wrapped, err := json.Marshal(map[string]string{"Type": "Notification", "Message": record})
	if err != nil {
		t.Fatal(err)
	}
	for _, body := range []string{
		`{"Service":"Amazon S3","Event":"s3:TestEvent","Bucket":"assay-files"}`, record, string(wrapped),
		fmt.Sprintf(`{"source":"aws.s3","detail-type":"Object Created","detail":{"bucket":{"name":"assay-files"},"object":{"key":%q}}}`, key),
	} {
		q.send(body)
	}
	system.CheckResult(t, system.Await(t, user, reserved.FileID), system.Count(text))
	system.Eventually(t, q.left)
	if _, err := user.Uploaded(system.Within(t), reserved.FileID); err != nil {
		t.Fatal(err)
	}
	js := c.JetStream(t)
	system.Eventually(t, func() error {
		notices, err := js.Stream(system.Within(t), "ASSAY_NOTICES")
		if err != nil {
			return err
		}
		if n := notices.CachedInfo().State.Msgs; n > 0 {
			return fmt.Errorf("%d notifications are queued, want 0", n)
		}
		return nil
	})
	if ids := c.Announced(t, uploads, reserved.FileID); len(ids) != 1 {
		t.Errorf("FileUploaded has the ids %v, want one for all notifications", ids)
	}
	if ids := c.Outcomes(t, js, reserved.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}
