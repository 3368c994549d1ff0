package recovery

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestUnnotifiedUploadIsSwept: an upload whose notification was lost, and whose client made no call, is still analyzed,
// because the analyzer's sweep finds it.
func TestUnnotifiedUploadIsSwept(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t, "ASSAY_SWEEP_EVERY=1s")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	api := c.Client(t, system.NewOwner())
	text := system.RandomText(301, 100)
	reserved := system.Reserve(t, api, "unnoticed.txt", "text/plain", text)
	ingest.Kill(t) // so that the notification is not consumed
	if status, body := system.Put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	js := c.JetStream(t)
	notices, err := js.Stream(system.Within(t), "ASSAY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	if err := notices.Purge(system.Within(t)); err != nil {
		t.Fatal(err)
	}
	c.Service(t, "analyzer")
	system.CheckResult(t, system.Await(t, api, reserved.FileID), system.Count(text))
	if ids := c.Outcomes(t, js, reserved.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}

// TestSweepKeepsObjectsIfTableIsEmpty: a sweep does not empty a bucket if most of its files are missing from the table.
func TestSweepKeepsObjectsIfTableIsEmpty(t *testing.T) {
	t.Parallel()
	const objects = 12
	c := system.StartCluster(t, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	for range objects {
		key := blob.Key("files/", uuid.NewString()+"/4-0123456789abcdef0123456789abcdef")
		if _, err := c.Objects().PutObject(system.Within(t), &s3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader("text")}); err != nil {
			t.Fatal(err)
		}
	}
	system.AfterLease()
	p := system.Launch(t, "assay", c.Env, "sweep")
	if status := p.End(t); status != 1 || !strings.Contains(p.Output.String(), "so nothing was deleted") {
		t.Errorf("the sweep exited with %d, want 1 and nothing deleted: %s", status, p.Output)
	}
	if keys := c.Keys(t); len(keys) != objects {
		t.Errorf("%d objects remain, want %d", len(keys), objects)
	}
}

// TestEnginesAreFound: `assay sweep` and `assay feed rebuild` need no settings on a machine with a running `assay
// serve`.
func TestEnginesAreFound(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.NoSweep)
	api := s.Client(t, system.NewOwner())
	system.Await(t, api, system.UploadMultipart(t, api, "a.txt", "text/plain", []byte("text")).FileID)
	p := system.Launch(t, "assay", nil, "sweep", "--json", "--data", s.Dir)
	if status := p.End(t); status != 0 || p.Output.String() != `{"read":11,"found":0,"repaired":0,"failed":0,"dryRun":false}`+"\n" {
		t.Errorf("the sweep exited with %d, want 0, 11 read and 0 found: %s", status, p.Output)
	}
	p = system.Launch(t, "assay", nil, "sweep", "--outcomes-since", "noon", "--data", s.Dir)
	if status := p.End(t); status != 2 {
		t.Errorf("the sweep with an invalid time exited with %d, want 2: %s", status, p.Output)
	}
	s.PostItem(t, system.NewPosting("The book was good.", "a"))
	s.AwaitItems(t, "a", 1)
	p = system.Launch(t, "assay", nil, "feed", "rebuild", "--json", "--data", s.Dir)
	if status := p.End(t); status != 0 || p.Output.String() != `{"items":1,"skipped":0,"removed":0,"recounted":0}`+"\n" {
		t.Errorf("the rebuild exited with %d, want 0 and 1 item: %s", status, p.Output)
	}
}
