package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/services/assay/client"
)

// photoSweepRepairs: what is wrong with jobs and their objects is said by a dry run that
// changes nothing, and repaired by a sweep; what is as it should be stays.
func photoSweepRepairs(t *testing.T, start starter) {
	c := start(t, noSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	ingest := c.service(t, "ingest")
	c.front(t, ingest, c.service(t, "query"))
	c.service(t, "analyzer")
	speaker := c.client(t, newOwner())
	photo := drawPhoto(t, 11)
	completed := func() client.Photo {
		return endOf(t, speaker, sendPhoto(t, speaker, "sepia", photo).JobID, client.Completed)
	}
	failed := func() client.Photo {
		return endOf(t, speaker, sendPhoto(t, speaker, "abracadabra", photo).JobID, client.Failed)
	}
	reserved := func() client.ReservedPhoto {
		job, err := speaker.ReservePhoto(within(t), photoSource("a.jpg", "sepia", photo).PhotoReservation, client.PhotoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	keyIn := func(jobID, bucket, prefix string) string {
		for _, key := range c.photoKeys(t, jobID)[bucket] {
			if strings.HasPrefix(key, prefix) {
				return key
			}
		}
		t.Fatalf("the job %s has no object %s in %s", jobID, prefix, bucket)
		return ""
	}
	kept, keptFailed := completed(), failed()
	// Their workers died, and their messages are lost: one before its call, one after the
	// answer to its second call was stored.
	lost, answered := completed(), completed()
	old, oldFailed := completed(), failed()
	unused, unnotified, other, withoutBytes := reserved(), reserved(), reserved(), completed()

	c.setPhoto(t, old.JobID, client.Completed, 49*time.Hour)
	c.setPhoto(t, oldFailed.JobID, client.Failed, 15*24*time.Hour)
	c.setPhoto(t, lost.JobID, client.Processing, time.Hour)
	c.changePhoto(t, lost.JobID, "REMOVE calls, analysisResult, editResult, s3FinalKey", nil, nil)
	for _, key := range c.photoKeys(t, lost.JobID)[photoTemp] {
		if !strings.HasPrefix(key, "work/") {
			continue
		}
		c.removeObject(t, photoTemp, key)
	}
	c.setPhoto(t, answered.JobID, client.Editing, time.Hour)
	c.changePhoto(t, answered.JobID, "SET calls.#2.outcome = :sent REMOVE editResult, s3FinalKey", map[string]string{"#2": "2"},
		item{":sent": &types.AttributeValueMemberS{Value: "sent"}})
	c.setPhoto(t, withoutBytes.JobID, client.Processing, time.Hour)
	c.removeObject(t, photoTemp, keyIn(withoutBytes.JobID, photoTemp, "uploads/"))

	// Neither the client nor the bucket reports these uploads.
	ingest.kill(t)
	if status, body := put(t, unnotified.Upload, string(photo), nil); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	c.putObject(t, photoTemp, attribute(t, c.photoItem(within(t), t, other.JobID), "s3TempKey"), []byte("x"))
	const none = "01HF9GZZZZZZZZZZZZZZZZZZZZ"
	orphan, orphanFinal := blob.Key("work/", none+"/answer-1"), blob.Key("final/", none+"/1.jpg")
	strayFinal := blob.Key("final/", kept.JobID+"/9.jpg") // of a worker that was lost
	foreign := "elsewhere/file"
	c.putObject(t, photoTemp, orphan, []byte("x"))
	c.putObject(t, photoTemp, foreign, []byte("x"))
	c.putObject(t, photoFinal, orphanFinal, []byte("x"))
	c.putObject(t, photoFinal, strayFinal, []byte("x"))
	// The stream dropped what is published again under the id of a message of the last minutes.
	js := c.jetStream(t)
	for _, stream := range []string{"ASSAY_WORK_PHOTOJOB", "ASSAY_NOTICES"} {
		if err := js.DeleteStream(within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	c.setUp(t)
	restarted := c.service(t, "ingest")
	c.HTTP = restarted.url
	afterLease()

	findings := map[string]string{
		unused.JobID: "overdue_job", unnotified.JobID: "unnotified_upload", other.JobID: "mismatched_object",
		lost.JobID: "lost_message", answered.JobID: "lost_message", withoutBytes.JobID: "lost_message",
		orphan: "orphan_object", orphanFinal: "orphan_object", strayFinal: "outdated_object",
		keyIn(oldFailed.JobID, photoTemp, "uploads/"): "outdated_object",
	}
	for _, key := range c.photoKeys(t, old.JobID)[photoTemp] {
		findings[key] = "outdated_object"
	}
	for _, key := range c.photoKeys(t, oldFailed.JobID)[photoTemp] {
		findings[key] = "outdated_object"
	}
	all := len(findings)
	for range 2 { // a dry run changes nothing
		check(t, "photojob", c.sweep(t, "--dry-run"), findings, "found", all, 0)
	}
	check(t, "photojob", c.sweep(t), findings, "repaired", all, all)

	checkRepaired(t, c, map[string]string{
		lost.JobID: client.Completed, answered.JobID: client.Completed, unnotified.JobID: client.Completed,
		kept.JobID: client.Completed, old.JobID: client.Completed,
		unused.JobID: "UPLOAD_EXPIRED", other.JobID: "UPLOAD_MISMATCH", withoutBytes.JobID: "UPLOAD_MISMATCH",
		keptFailed.JobID: "PROMPT_NOT_UNDERSTOOD", oldFailed.JobID: "PROMPT_NOT_UNDERSTOOD",
	}, speaker)
	for jobID, calls := range map[string]int{lost.JobID: 2, answered.JobID: 2} { // the stored answer is not asked for again
		if ledger, ok := c.photoItem(within(t), t, jobID)["calls"].(*types.AttributeValueMemberM); !ok || len(ledger.Value) != calls {
			t.Errorf("the job %s has the calls %v, want %d", jobID, ledger, calls)
		}
	}
	for bucket, keys := range map[string][]string{photoTemp: {orphan}, photoFinal: {orphanFinal, strayFinal}} {
		for _, key := range keys {
			if err := c.headIn(t, bucket, key); err == nil {
				t.Errorf("%s is still there", key)
			}
		}
	}
	if err := c.headIn(t, photoTemp, foreign); err != nil {
		t.Errorf("what is no object of a job: %v", err)
	}
	if len(c.photoKeys(t, kept.JobID)) != 2 || len(c.photoKeys(t, keptFailed.JobID)[photoTemp]) == 0 || len(c.photoKeys(t, old.JobID)) != 1 {
		t.Errorf("objects are left of %v, %v, %v", c.photoKeys(t, kept.JobID), c.photoKeys(t, keptFailed.JobID), c.photoKeys(t, old.JobID))
	}
	eventually(t, func() error {
		if said := c.sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("a sweep after the repair says " + said)
		}
		return nil
	})
}

// checkRepaired waits for the end of each job: COMPLETED, or FAILED with a code.
func checkRepaired(t *testing.T, c *cluster, ends map[string]string, speaker *client.Client) {
	t.Helper()
	for id, want := range ends {
		job, err := speaker.WaitPhoto(within(t), id)
		if err != nil {
			t.Fatal(err)
		}
		got := job.Status
		if job.Error != nil {
			got = job.Error.Code
		}
		if got != want {
			t.Errorf("the job is %s, want %s", show(job), want)
		}
		if ids := c.photoOutcomes(t, id); len(ids) == 0 {
			t.Errorf("the job %s has no outcome", id)
		}
	}
}

func (s system) headIn(t *testing.T, bucket, key string) error {
	t.Helper()
	s.Bucket = bucket
	return s.head(within(t), key)
}

// photoBatchesSurviveALoss: a batch of 20 of which 3 photos are bad, one is never uploaded and
// one is deleted, and whose work is lost with all streams, ends as PARTIAL by a sweep.
func photoBatchesSurviveALoss(t *testing.T, start starter) {
	c := start(t, noSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	c.front(t, c.service(t, "ingest"), c.service(t, "query"))
	speaker := c.client(t, newOwner())
	photo := drawPhoto(t, 12)
	var photos []client.PhotoReservation
	for i := range client.MaxPhotoBatch {
		photos = append(photos, photoSource(fmt.Sprintf("%d.jpg", i), "", photo).PhotoReservation)
	}
	photos[0].Prompt, photos[1].Prompt = "abracadabra", "hocus pocus"
	batch, err := speaker.ReservePhotoBatch(within(t), client.PhotoBatchReservation{Prompt: "sepia", Photos: photos})
	if err != nil {
		t.Fatal(err)
	}
	const bad, unused, deleted = 2, 3, 4
	for i, job := range batch.Photos {
		content := string(photo)
		switch i {
		case bad:
			content = strings.Repeat("x", len(photo))
		case unused:
			continue
		}
		if status, body := put(t, job.Upload, content, nil); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
		if _, err := speaker.PhotoUploaded(within(t), job.JobID); err != nil {
			t.Fatal(err)
		}
	}
	if err := speaker.DeletePhoto(within(t), batch.Photos[deleted].JobID); err != nil {
		t.Fatal(err)
	}
	js := c.jetStream(t)
	for _, stream := range streams {
		if err := js.DeleteStream(within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	c.setUp(t)
	c.service(t, "analyzer")
	afterLease()
	if said := c.sweep(t); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep says %s", said)
	}
	ended := batchEnd(t, speaker, batch.BatchID)
	if ended.Status != client.Partial || ended.Completed != 15 || ended.Failed != 4 || ended.Deleted != 1 {
		t.Errorf("the batch is %s", show(ended))
	}
	settled := func() { // the work of each photo, which announces the end of the batch
		for _, job := range batch.Photos {
			c.photoOutcomes(t, job.JobID)
		}
	}
	settled()
	if ids := c.photoOutcomes(t, batch.BatchID); len(ids) != 1 {
		t.Errorf("outcomes of the batch %v, want one", ids)
	}
	if again, err := speaker.RetryPhotoBatch(within(t), batch.BatchID); err != nil || again.Failed != 1 { // the one without bytes
		t.Errorf("retried as %s, %v", show(again), err)
	}
	if ended := batchEnd(t, speaker, batch.BatchID); ended.Status != client.Partial || ended.Failed != 4 {
		t.Errorf("after the retry the batch is %s", show(ended))
	}
	settled()
	if ids := c.photoOutcomes(t, batch.BatchID); len(ids) != 2 {
		t.Errorf("outcomes of the batch %v, want two", ids)
	}
}
