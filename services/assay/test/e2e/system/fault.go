package system

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/client"
)

// MissingBytes is the reason of a file whose bytes an analyzer does not find.
const MissingBytes = "the uploaded object no longer exists"

// FailWithoutBytes reserves a file of an owner and publishes its work, although nothing was uploaded, so that it fails because
// of a fault. It returns the FAILED file and its reservation.
func FailWithoutBytes(t *testing.T, s System, owner, name, text string) (client.File, client.Reserved) {
	t.Helper()
	api := s.Client(t, owner)
	reserved := Reserve(t, api, name, "text/plain", text)
	e := textfile.NewUploaded(&event.FileUploaded{
		FileId: reserved.FileID, OwnerId: owner, FileName: name, Bucket: s.Bucket, Key: Attribute(t, s.Meta(t, reserved.FileID), "s3Key"),
		Etag: "0", Size: float64(len(text)), ContentType: "text/plain",
	})
	if err := PublishWork(Within(t), s.JetStream(t), e); err != nil {
		t.Fatal(err)
	}
	file := Await(t, api, reserved.FileID)
	if file.Status != client.Failed || file.ErrorMessage != MissingBytes {
		t.Fatalf("a file without bytes is %s, want FAILED because %s", JSON(file), MissingBytes)
	}
	return file, reserved
}

// PublishWork publishes a work event as a service does.
func PublishWork(ctx context.Context, js jetstream.JetStream, e event.Event) error {
	data, err := e.Marshal()
	if err != nil {
		return err
	}
	tenant := sha256.Sum256([]byte(e.Tenant))
	msg := &nats.Msg{
		Subject: "assay-work.0." + hex.EncodeToString(tenant[:8]) + "." + strings.TrimPrefix(e.Subject, "assay."),
		Header:  e.Headers("/ingest"), Data: data,
	}
	msg.Header.Set("assay-tenant", e.Tenant)
	_, err = js.PublishMsg(ctx, msg)
	return err
}

// HidingBucket is a proxy in front of a bucket, in which an analyzer does not find any object while Hidden is set.
type HidingBucket struct {
	URL    string
	Hidden atomic.Bool
}

// StartHidingBucket starts a HidingBucket that hides objects.
func StartHidingBucket(t *testing.T, s System) *HidingBucket {
	t.Helper()
	through, b := Forward(t, s.S3), &HidingBucket{}
	b.Hidden.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !b.Hidden.Load() || r.URL.Query().Has("list-type") {
			through.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusNotFound)
		if _, err := w.Write([]byte(`<Error><Code>NoSuchKey</Code><Message>hidden</Message></Error>`)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	b.URL = server.URL
	return b
}
