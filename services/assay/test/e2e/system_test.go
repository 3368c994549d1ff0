package e2e

import (
	"context"
	"errors"
	"net/http"
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

// system is a running Assay as promises see it.
type system struct {
	HTTP, Operator               string // URLs
	LiveOperator                 string // of query, with the live events of all owners
	NATS, S3, DynamoDB           string
	AccessKey, SecretKey, Region string
	Bucket, Table                string
}

// soon is the timeout of every wait of a promise. Waits take milliseconds;
// the rest is for a busy machine.
const soon = 60 * time.Second

// within returns the test's context with that timeout.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	t.Cleanup(cancel)
	return ctx
}

// client returns a client of the given owner.
func (s system) client(t *testing.T, owner string) *client.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(client.Config{Server: s.HTTP, OwnerID: owner, HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newOwner returns a unique owner.
func newOwner() string { return "e2e-" + uuid.NewString() }

func (s system) aws() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider(s.AccessKey, s.SecretKey, "")
}

func (s system) tables() *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{BaseEndpoint: &s.DynamoDB, Region: s.Region, Credentials: s.aws()})
}

func (s system) objects() *s3.Client {
	return s3.New(s3.Options{BaseEndpoint: &s.S3, Region: s.Region, Credentials: s.aws(), UsePathStyle: true})
}

// keys returns the keys of all objects in the bucket.
func (s system) keys(t *testing.T) []string {
	t.Helper()
	out, err := s.objects().ListObjectsV2(within(t), &s3.ListObjectsV2Input{Bucket: &s.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, object := range out.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}

// events connects to NATS until the test ends.
func (s system) events(t *testing.T) *nats.Conn {
	t.Helper()
	conn, err := nats.Connect(s.NATS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func (s system) jetStream(t *testing.T) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(s.events(t))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// listen returns the messages of a subject from now on.
func (s system) listen(t *testing.T, subject string) *nats.Subscription {
	t.Helper()
	conn := s.events(t)
	sub, err := conn.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	// After the server's response, no message is missed.
	if err := conn.FlushWithContext(within(t)); err != nil {
		t.Fatal(err)
	}
	return sub
}

// next returns the next message of a subscription.
func next(t *testing.T, sub *nats.Subscription) *nats.Msg {
	t.Helper()
	msg, err := sub.NextMsgWithContext(within(t))
	if err != nil {
		t.Fatalf("nothing on %s: %v", sub.Subject, err)
	}
	return msg
}

// outcomes returns the ids of all outcome events of a file, in order, once no
// work on it is left.
func (s system) outcomes(t *testing.T, js jetstream.JetStream, fileID string) []string {
	t.Helper()
	return s.outcomesOf(t, js, "ASSAY_WORK_TEXTFILE", "assay-work.*.*.file.uploaded."+fileID, "assay.analysis.*.textfile."+fileID)
}

// outcomesOf returns the ids of all events on the subject ended, once the stream has no
// work on the subject waiting.
func (s system) outcomesOf(t *testing.T, js jetstream.JetStream, stream, waiting, ended string) []string {
	t.Helper()
	ctx := within(t)
	work, err := js.Stream(ctx, stream)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error {
		_, err := work.GetMsg(ctx, 1, jetstream.WithGetMsgSubject(waiting))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		return errors.Join(errors.New("work still waits on "+waiting), err)
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

// eventually polls until look returns nil.
func eventually(t *testing.T, look func() error) {
	t.Helper()
	ctx := within(t)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("still after %s: %v", soon, err)
		}
	}
}
