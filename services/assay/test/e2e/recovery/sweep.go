package recovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// deleteStreams deletes all streams of the server. The work streams are last, because all streams are recreated when
// their loss is detected.
func deleteStreams(ctx context.Context, t *testing.T, js jetstream.JetStream) {
	t.Helper()
	var others, work []string
	names := js.StreamNames(ctx)
	for name := range names.Name() {
		if strings.HasPrefix(name, "ASSAY_WORK_") {
			work = append(work, name)
		} else {
			others = append(others, name)
		}
	}
	if err := names.Err(); err != nil || len(others) == 0 || len(work) == 0 {
		t.Fatalf("the streams are %v and the work streams %v, %v; want at least one of each", others, work, err)
	}
	for _, name := range append(others, work...) {
		if err := js.DeleteStream(ctx, name); err != nil {
			t.Fatalf("delete %s: %v", name, err)
		}
	}
}

// accepted is an upload that received a 2xx response.
type accepted struct{ id, text string }

// survivesLossOfAllStreams: all streams are deleted while services run and files are uploaded. The services keep running, and
// one sweep brings every accepted upload to its final state, with one outcome id.
func survivesLossOfAllStreams(t *testing.T, start system.Starter) {
	const uploads, loss = 60, 30
	c := start(t, system.NoSweep, "ASSAY_ANALYZER_PARALLEL=2")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	js := c.JetStream(t)
	owner := system.NewOwner()
	api := c.Client(t, owner)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	var all []accepted
	upload := func(i int) {
		text := system.RandomText(uint64(400+i), 100+i)
		id := system.Persist(ctx, t, api, i, text)
		all = append(all, accepted{id, text})
	}
	for i := range loss {
		upload(i)
	}
	claimByHand(t, c.System, owner, all[0].id) // as if its worker had crashed
	c.Service(t, "analyzer").Await(t, `"outcome":"done"`)
	deleteStreams(ctx, t, js)
	for i := loss; i < uploads; i++ {
		upload(i)
	}
	system.AfterLease()
	if said := c.Sweep(t, "--outcomes-since", "1h"); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep printed %s, want 0 failed", said)
	}
	ids := map[string]string{}
	for _, a := range all {
		system.CheckResult(t, system.Await(t, api, a.id), system.Count(a.text))
		outcomes := c.Outcomes(t, js, a.id)
		if len(outcomes) != 1 {
			t.Errorf("outcomes of %s: %v, want one", a.id, outcomes)
			continue
		}
		ids[a.id] = outcomes[0]
	}
	// The outcomes are published again, to a new stream, under the same ids.
	if err := js.DeleteStream(ctx, "ASSAY_OUTCOMES"); err != nil {
		t.Fatal(err)
	}
	c.SetUp(t)
	c.Sweep(t, "--outcomes-since", "1h")
	for _, a := range all {
		if outcomes := c.Outcomes(t, js, a.id); len(outcomes) != 1 || outcomes[0] != ids[a.id] {
			t.Errorf("outcomes of %s after they were published again: %v, want %s", a.id, outcomes, ids[a.id])
		}
	}
}

// sweepRepairs: problems are reported by a dry run that changes nothing, and repaired by a sweep; correct items do not
// change.
func sweepRepairs(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	c.Service(t, "analyzer")
	owner := system.NewOwner()
	api := c.Client(t, owner)
	ctx := system.Within(t)
	text := system.RandomText(302, 100)

	unused := system.Reserve(t, api, "unused.txt", "text/plain", text)
	abandoned, err := api.Reserve(ctx, client.Reservation{FileName: "abandoned.txt", Size: int64(len(text)), Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	kept := system.UploadMultipart(t, api, "kept.txt", "text/plain", []byte(text))
	inconsistent := system.UploadMultipart(t, api, "inconsistent.txt", "text/plain", []byte(text))
	lost := system.UploadMultipart(t, api, "lost.txt", "text/plain", []byte(text))
	for _, file := range []client.File{kept, inconsistent, lost} {
		system.CheckResult(t, system.Await(t, api, file.FileID), system.Count(text))
	}
	c.HoldNotices(t) // otherwise ingest would remove orphans immediately
	orphan := blob.Key("files/", uuid.NewString()+"/4-0123456789abcdef0123456789abcdef")
	foreign := "elsewhere/file"
	for _, key := range []string{orphan, foreign} {
		if _, err := c.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader("text")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Tables().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &c.Table, Key: system.Item{
		"PK": &types.AttributeValueMemberS{Value: "OWNER#" + owner}, "SK": &types.AttributeValueMemberS{Value: "FILE#" + inconsistent.FileID},
	}}); err != nil {
		t.Fatal(err)
	}
	// The worker of this file crashed, and its message and its bytes are lost.
	claimByHand(t, c.System, owner, lost.FileID)
	for _, key := range c.Keys(t) {
		if strings.Contains(key, lost.FileID) {
			if _, err := c.Objects().DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.Bucket, Key: &key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Store bytes of another length, which a presigned request would have rejected.
	other := system.Reserve(t, api, "other.txt", "text/plain", text)
	otherKey := system.ObjectOf(t, c.System, other.FileID)
	if _, err := c.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &c.Bucket, Key: &otherKey, Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	system.AfterLease()

	findings := map[string]string{
		unused.FileID: "unused_reservation", inconsistent.FileID: "inconsistent_copies",
		lost.FileID: "lost_message", orphan: "orphan_object",
		other.FileID: "mismatched_object", abandoned.FileID: "unused_reservation", system.ObjectOf(t, c.System, abandoned.FileID): "abandoned_upload",
	}
	for range 2 { // a dry run changes nothing
		check(t, "textfile", c.Sweep(t, "--dry-run"), findings, "found", 7, 0)
	}
	check(t, "textfile", c.Sweep(t), findings, "repaired", 7, 7)

	if file := system.Await(t, api, lost.FileID); file.Status != client.Failed || !strings.Contains(file.ErrorMessage, "no longer exists") {
		t.Errorf("the file without bytes is %s, want FAILED because the bytes no longer exist", system.JSON(file))
	}
	if file := system.Await(t, api, other.FileID); file.Status != client.Failed || !strings.Contains(file.ErrorMessage, "1 bytes instead of") {
		t.Errorf("the file with other bytes is %s, want FAILED because of their length", system.JSON(file))
	}
	if ids := c.Outcomes(t, c.JetStream(t), other.FileID); len(ids) != 1 {
		t.Errorf("outcomes of the file with other bytes: %v, want one", ids)
	}
	_, err = api.Retry(ctx, lost.FileID)
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusConflict || !strings.HasSuffix(problem.Type, ":not-uploaded") {
		t.Errorf("a retry without bytes returned %v, want 409 not-uploaded", err)
	}
	if _, err := api.Get(ctx, unused.FileID, 0); !system.IsProblem(err, http.StatusNotFound) {
		t.Errorf("Get of the unused reservation returned %v, want 404", err)
	}
	listed := map[string]bool{}
	for file, err := range api.List(ctx, client.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		listed[file.FileID] = true
	}
	if len(listed) != 4 || !listed[kept.FileID] || !listed[inconsistent.FileID] || !listed[lost.FileID] {
		t.Errorf("the list contains %v, want 4 files including %s, %s and %s", listed, kept.FileID, inconsistent.FileID, lost.FileID)
	}
	if keys := strings.Join(c.Keys(t), " "); strings.Contains(keys, orphan) || !strings.Contains(keys, foreign) || !strings.Contains(keys, kept.FileID) {
		t.Errorf("the bucket contains %s, want no %s, but %s and the object of %s", keys, orphan, foreign, kept.FileID)
	}
	system.Eventually(t, func() error {
		if said := c.Sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("want no findings after the repair; the sweep printed " + said)
		}
		return nil
	})
}

// check compares the output of a sweep with the expected findings.
func check(t *testing.T, area, said string, findings map[string]string, state string, found, repaired int) {
	t.Helper()
	for id, what := range findings {
		if want := fmt.Sprintf("%s  %s  %s  %s\n", area, id, what, state); !strings.Contains(said, want) {
			t.Errorf("the sweep did not print %q", want)
		}
	}
	if want := fmt.Sprintf(" %d found, %d repaired, 0 failed", found, repaired); !strings.Contains(said, want) {
		t.Errorf("the sweep printed\n%s\nwant%s", said, want)
	}
}
