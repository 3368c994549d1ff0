// Package system starts Assay for tests and contains helpers to use it. It starts `assay serve`, or the services and
// engines as separate processes. Each process runs the test binary in another role.
package system

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/services/assay/client"
)

// System contains the addresses and credentials with which tests use a running Assay.
type System struct {
	HTTP, Operator               string // URLs
	LiveOperator                 string // operator URL of query, which serves the live events of all owners
	NATS, S3, DynamoDB           string
	AccessKey, SecretKey, Region string
	Bucket, Table                string
}

// Soon is the timeout of every wait in a test. Waits take milliseconds; the margin is for slow machines.
const Soon = 60 * time.Second

// Within returns the test's context with the timeout Soon.
func Within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Soon)
	t.Cleanup(cancel)
	return ctx
}

// Client returns a client for the given owner.
func (s System) Client(t *testing.T, owner string) *client.Client {
	t.Helper()
	return s.Patient(t, owner, 0)
}

// Patient is like Client, for a client that repeats a call for the given time while a service restarts.
func (s System) Patient(t *testing.T, owner string, patience time.Duration) *client.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(client.Config{Server: s.HTTP, OwnerID: owner, Patience: patience, HTTP: &http.Client{Transport: Checked(transport)}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// NewOwner returns a unique owner id.
func NewOwner() string { return "e2e-" + uuid.NewString() }

func (s System) aws() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, "")
}

// Tables returns a plain client of DynamoDB.
func (s System) Tables() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{BaseEndpoint: &s.DynamoDB, Region: s.Region, Credentials: s.aws()})
}

// Objects returns a plain client of S3.
func (s System) Objects() *s3.Client {
	return s3.New(s3.Options{BaseEndpoint: &s.S3, Region: s.Region, Credentials: s.aws(), UsePathStyle: true})
}

// Keys returns the keys of all objects in the bucket.
func (s System) Keys(t *testing.T) []string {
	t.Helper()
	ctx := Within(t)
	var keys []string
	pages := s3.NewListObjectsV2Paginator(s.Objects(), &s3.ListObjectsV2Input{Bucket: &s.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range page.Contents {
			keys = append(keys, *object.Key)
		}
	}
	return keys
}

// Events connects to NATS until the test ends.
func (s System) Events(t *testing.T) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect(s.NATS, nats.Timeout(Soon))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// JetStream connects to JetStream until the test ends.
func (s System) JetStream(t *testing.T) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(s.Events(t), jetstream.WithDefaultTimeout(Soon))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// Listen returns a subscription to a subject, which receives all messages that are published after the call.
func (s System) Listen(t *testing.T, subject string) *nats.Subscription {
	t.Helper()
	conn := s.Events(t)
	sub, err := conn.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	// Once the server has responded, no message is missed.
	if err := conn.FlushWithContext(Within(t)); err != nil {
		t.Fatal(err)
	}
	return sub
}

// Next returns the next message of a subscription.
func Next(t *testing.T, sub *nats.Subscription) *nats.Msg {
	t.Helper()
	msg, err := sub.NextMsgWithContext(Within(t))
	if err != nil {
		t.Fatalf("got no message on %s, want one: %v", sub.Subject, err)
	}
	return msg
}

// Outcomes returns the ids of all outcome events of a file, in order, once no work on the file is queued.
func (s System) Outcomes(t *testing.T, js jetstream.JetStream, fileID string) []string {
	t.Helper()
	return s.outcomesOf(t, js, "ASSAY_WORK_TEXTFILE", "assay-work.*.*.file.uploaded."+fileID, "assay.analysis.*.textfile."+fileID)
}

// outcomesOf returns the ids of all events on the subject ended, once the work stream contains no message on the subject
// waiting.
func (s System) outcomesOf(t *testing.T, js jetstream.JetStream, stream, waiting, ended string) []string {
	t.Helper()
	ctx := Within(t)
	work, err := js.Stream(ctx, stream)
	if err != nil {
		t.Fatal(err)
	}
	Eventually(t, func() error {
		_, err := work.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(waiting))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return errors.Join(errors.New("work is still queued on "+waiting), err)
	})
	outcomes, err := js.Stream(ctx, "ASSAY_OUTCOMES")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for sequence := uint64(1); ; {
		msg, err := outcomes.GetMsg(ctx, sequence, jetstream.WithGetMsgSubject(ended))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, msg.Header.Get("ce-id"))
		sequence = msg.Sequence + 1
	}
}

// Eventually calls look until it returns nil. The interval grows with the time waited, because each call uses processor
// time of the programs.
func Eventually(t *testing.T, look func() error) {
	t.Helper()
	ctx, began := Within(t), time.Now()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-time.After(max(20*time.Millisecond, time.Since(began)/10)):
		case <-ctx.Done():
			t.Fatalf("still failing after %s: %v", Soon, err)
		}
	}
}

// Repository returns the absolute path of a file in the repository.
func Repository(t *testing.T, path string) string {
	t.Helper()
	root, err := os.Getwd() // of the package under test
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.work")); err == nil {
			return filepath.Join(root, path)
		}
		if root == filepath.Dir(root) {
			t.Fatal("the test does not run in the repository")
		}
		root = filepath.Dir(root)
	}
}
