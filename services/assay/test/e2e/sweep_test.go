package e2e

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

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/client"
)

// noSweep disables sweeps except those of the test.
const noSweep = "ASSAY_SWEEP_EVERY=0"

// streams are all streams of the system, those with consumers last: their loss is detected
// and all are declared again.
var streams = []string{"ASSAY_OUTCOMES", "ASSAY_DEAD", "ASSAY_NOTICES", "ASSAY_WORK_TEXTFILE", "ASSAY_WORK_FEED", "ASSAY_WORK_PHOTOJOB"}

// sweep runs `assay sweep`, which must succeed, and returns its output.
func (c *cluster) sweep(t *testing.T, args ...string) string {
	t.Helper()
	p := launch(t, "assay", c.environment("analyzer"), append([]string{"sweep"}, args...)...)
	if status := p.end(t); status != 0 {
		t.Fatalf("assay sweep has the exit status %d: %s", status, p.output)
	}
	return p.output.String()
}

// afterLease waits until everything stored now is older than a lease, so that a
// sweep considers it.
func afterLease() { <-time.After(1100 * time.Millisecond) }

// TestUnnotifiedUploadIsSwept: bytes whose notification was lost, and whose client made
// no call, are analyzed nevertheless: the analyzer's sweep finds them.
func TestUnnotifiedUploadIsSwept(t *testing.T) {
	t.Parallel()
	c := startCluster(t, "ASSAY_SWEEP_EVERY=1s")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	speaker := c.client(t, newOwner())
	text := randomText(301, 100)
	reserved := reserve(t, speaker, "unnoticed.txt", "text/plain", text)
	ingest.kill(t) // so that the notification is not consumed
	if status, body := put(t, reserved.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	js := c.jetStream(t)
	notices, err := js.Stream(within(t), "ASSAY_NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	if err := notices.Purge(within(t)); err != nil {
		t.Fatal(err)
	}
	c.service(t, "analyzer")
	checkResult(t, final(t, speaker, reserved.FileID), count(text))
	if ids := c.outcomes(t, js, reserved.FileID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
}

// accepted is an upload that got a 2xx.
type accepted struct{ id, text string }

// survivesLossOfAllStreams: all JetStream data is deleted under running services in
// the middle of uploads. They keep running, and one sweep brings everything that was
// accepted to its end, with its outcome under one id.
func survivesLossOfAllStreams(t *testing.T, start starter) {
	const uploads, loss = 60, 30
	c := start(t, noSweep, "ASSAY_ANALYZER_PARALLEL=2")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	js := c.jetStream(t)
	owner := newOwner()
	speaker := c.client(t, owner)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	var all []accepted
	upload := func(i int) {
		text := randomText(uint64(400+i), 100+i)
		id := persist(ctx, t, speaker, i, text)
		all = append(all, accepted{id, text})
	}
	for i := range loss {
		upload(i)
	}
	claimByHand(t, c.system, owner, all[0].id) // whose worker dies with the streams
	c.service(t, "analyzer").await(t, `"outcome":"done"`)
	for _, stream := range streams {
		if err := js.DeleteStream(ctx, stream); err != nil {
			t.Fatal(err)
		}
	}
	for i := loss; i < uploads; i++ {
		upload(i)
	}
	afterLease()
	if said := c.sweep(t, "--outcomes-since", "1h"); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep says %s", said)
	}
	ids := map[string]string{}
	for _, a := range all {
		checkResult(t, final(t, speaker, a.id), count(a.text))
		outcomes := c.outcomes(t, js, a.id)
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
	c.setUp(t)
	c.sweep(t, "--outcomes-since", "1h")
	for _, a := range all {
		if outcomes := c.outcomes(t, js, a.id); len(outcomes) != 1 || outcomes[0] != ids[a.id] {
			t.Errorf("outcomes of %s sent again: %v, want %s", a.id, outcomes, ids[a.id])
		}
	}
}

// sweepRepairs: problems are reported by a dry run that changes nothing,
// and repaired by a sweep; correct items do not change.
func sweepRepairs(t *testing.T, start starter) {
	c := start(t, noSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	c.service(t, "analyzer")
	owner := newOwner()
	speaker := c.client(t, owner)
	ctx := within(t)
	text := randomText(302, 100)

	unused := reserve(t, speaker, "unused.txt", "text/plain", text)
	kept := multipartPost(t, speaker, "kept.txt", "text/plain", []byte(text))
	inconsistent := multipartPost(t, speaker, "inconsistent.txt", "text/plain", []byte(text))
	lost := multipartPost(t, speaker, "lost.txt", "text/plain", []byte(text))
	for _, file := range []client.File{kept, inconsistent, lost} {
		checkResult(t, final(t, speaker, file.FileID), count(text))
	}
	orphan := blob.Key("files/", uuid.NewString()+"/4-0123456789abcdef0123456789abcdef")
	foreign := "elsewhere/file"
	for _, key := range []string{orphan, foreign} {
		if _, err := c.objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader("text")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.tables().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &c.Table, Key: item{
		"PK": &types.AttributeValueMemberS{Value: "OWNER#" + owner}, "SK": &types.AttributeValueMemberS{Value: "FILE#" + inconsistent.FileID},
	}}); err != nil {
		t.Fatal(err)
	}
	// Its worker died, and its message and its bytes are lost.
	claimByHand(t, c.system, owner, lost.FileID)
	for _, key := range c.keys(t) {
		if strings.Contains(key, lost.FileID) {
			if _, err := c.objects().DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.Bucket, Key: &key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Bytes of another length, which the presigned request would have rejected.
	other := reserve(t, speaker, "other.txt", "text/plain", text)
	otherKey := objectOf(t, c.system, other.FileID)
	if _, err := c.objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &c.Bucket, Key: &otherKey, Body: strings.NewReader("x")}); err != nil {
		t.Fatal(err)
	}
	afterLease()

	findings := map[string]string{
		unused.FileID: "unused_reservation", inconsistent.FileID: "inconsistent_copies",
		lost.FileID: "lost_message", orphan: "orphan_object",
		other.FileID: "mismatched_object",
	}
	for range 2 { // a dry run changes nothing
		check(t, "textfile", c.sweep(t, "--dry-run"), findings, "found", 5, 0)
	}
	check(t, "textfile", c.sweep(t), findings, "repaired", 5, 5)

	if file := final(t, speaker, lost.FileID); file.Status != client.Failed || !strings.Contains(file.ErrorMessage, "no longer exists") {
		t.Errorf("the file without bytes is %s", show(file))
	}
	if file := final(t, speaker, other.FileID); file.Status != client.Failed || !strings.Contains(file.ErrorMessage, "1 bytes instead of") {
		t.Errorf("the file with other bytes is %s", show(file))
	}
	if ids := c.outcomes(t, c.jetStream(t), other.FileID); len(ids) != 1 {
		t.Errorf("outcomes of the file with other bytes: %v", ids)
	}
	if _, err := speaker.Retry(ctx, lost.FileID); err == nil {
		t.Error("a retry without bytes is accepted")
	}
	if _, err := speaker.Get(ctx, unused.FileID, 0); err == nil {
		t.Error("the unused reservation is still there")
	}
	listed := map[string]bool{}
	for file, err := range speaker.List(ctx, client.Listing{}) {
		if err != nil {
			t.Fatal(err)
		}
		listed[file.FileID] = true
	}
	if len(listed) != 4 || !listed[kept.FileID] || !listed[inconsistent.FileID] || !listed[lost.FileID] {
		t.Errorf("the list has %v", listed)
	}
	if keys := strings.Join(c.keys(t), " "); strings.Contains(keys, orphan) || !strings.Contains(keys, foreign) || !strings.Contains(keys, kept.FileID) {
		t.Errorf("the bucket has %s", keys)
	}
	eventually(t, func() error {
		if said := c.sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("a sweep after the repair says " + said)
		}
		return nil
	})
}

// check compares the findings of a sweep with the expected ones.
func check(t *testing.T, area, said string, findings map[string]string, state string, found, repaired int) {
	t.Helper()
	for id, what := range findings {
		if want := fmt.Sprintf("%s  %s  %s  %s\n", area, id, what, state); !strings.Contains(said, want) {
			t.Errorf("the sweep does not say %q", want)
		}
	}
	if want := fmt.Sprintf(" %d found, %d repaired, 0 failed", found, repaired); !strings.Contains(said, want) {
		t.Errorf("want%s:\n%s", want, said)
	}
}

// objectOf returns the expected key of a file's bytes.
func objectOf(t *testing.T, s system, fileID string) string {
	t.Helper()
	out, err := s.tables().GetItem(within(t), &dynamodb.GetItemInput{TableName: &s.Table, Key: item{
		"PK": &types.AttributeValueMemberS{Value: "FILE#" + fileID}, "SK": &types.AttributeValueMemberS{Value: "META"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	key, ok := out.Item["s3Key"].(*types.AttributeValueMemberS)
	if !ok {
		t.Fatalf("the item has no s3Key: %v", out.Item)
	}
	return key.Value
}

// TestSweepDoubtsAnEmptyTable: a bucket is not emptied if the table lacks most
// of its files.
func TestSweepDoubtsAnEmptyTable(t *testing.T) {
	t.Parallel()
	const objects = 12
	c := startCluster(t, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	for range objects {
		key := blob.Key("files/", uuid.NewString()+"/4-0123456789abcdef0123456789abcdef")
		if _, err := c.objects().PutObject(within(t), &s3.PutObjectInput{Bucket: &c.Bucket, Key: &key, Body: strings.NewReader("text")}); err != nil {
			t.Fatal(err)
		}
	}
	afterLease()
	p := launch(t, "assay", c.env, "sweep")
	if status := p.end(t); status != 1 || !strings.Contains(p.output.String(), "so nothing was deleted") {
		t.Errorf("the sweep ends with %d: %s", status, p.output)
	}
	if keys := c.keys(t); len(keys) != objects {
		t.Errorf("%d objects are left of %d", len(keys), objects)
	}
}

// TestEnginesAreFound: `assay sweep` and `assay feed rebuild` need no settings beside a running
// `assay serve`.
func TestEnginesAreFound(t *testing.T) {
	t.Parallel()
	s := startServe(t, t.TempDir(), noSweep)
	speaker := s.client(t, newOwner())
	final(t, speaker, multipartPost(t, speaker, "a.txt", "text/plain", []byte("text")).FileID)
	p := launch(t, "assay", nil, "sweep", "--json", "--data", s.dir)
	if status := p.end(t); status != 0 || p.output.String() != `{"read":7,"found":0,"repaired":0,"failed":0,"dryRun":false}`+"\n" {
		t.Errorf("the sweep ends with %d: %s", status, p.output)
	}
	p = launch(t, "assay", nil, "sweep", "--outcomes-since", "noon", "--data", s.dir)
	if status := p.end(t); status != 2 {
		t.Errorf("a time that is none ends with %d: %s", status, p.output)
	}
	s.postItem(t, newPosting("The book was good.", "a"))
	s.awaitItems(t, "a", 1)
	p = launch(t, "assay", nil, "feed", "rebuild", "--json", "--data", s.dir)
	if status := p.end(t); status != 0 || p.output.String() != `{"items":1,"skipped":0,"removed":0,"recounted":0}`+"\n" {
		t.Errorf("the rebuild ends with %d: %s", status, p.output)
	}
}
