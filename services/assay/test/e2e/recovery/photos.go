package recovery

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
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// photoSweepRepairs: a dry run reports inconsistencies of jobs and their objects and changes nothing, and a sweep
// repairs them; consistent jobs do not change.
func photoSweepRepairs(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	c.Service(t, "analyzer")
	api := c.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 11)
	completed := func() client.Photo {
		return system.AwaitPhoto(t, api, system.SendPhoto(t, api, "sepia", photo).JobID, client.Completed)
	}
	failed := func() client.Photo {
		return system.AwaitPhoto(t, api, system.SendPhoto(t, api, "abracadabra", photo).JobID, client.Failed)
	}
	reserved := func() client.ReservedPhoto {
		job, err := api.ReservePhoto(system.Within(t), system.PhotoSource("a.jpg", "sepia", photo).PhotoReservation, client.PhotoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	keyIn := func(jobID, bucket, prefix string) string {
		for _, key := range c.PhotoKeys(t, jobID)[bucket] {
			if strings.HasPrefix(key, prefix) {
				return key
			}
		}
		t.Fatalf("the job %s has no object with the prefix %s in %s", jobID, prefix, bucket)
		return ""
	}
	kept, keptFailed := completed(), failed()
	// The workers of two jobs crashed, and their messages are lost: one before the first call, and one after the response
	// to the second call was stored.
	lost, answered := completed(), completed()
	old, oldFailed := completed(), failed()
	unused, unnotified, other, withoutBytes := reserved(), reserved(), reserved(), completed()

	c.SetPhoto(t, old.JobID, client.Completed, 49*time.Hour)
	c.SetPhoto(t, oldFailed.JobID, client.Failed, 15*24*time.Hour)
	c.SetPhoto(t, lost.JobID, client.Processing, time.Hour)
	c.ChangePhoto(t, lost.JobID, "REMOVE calls, analysisResult, editResult, s3FinalKey", nil, nil)
	for _, key := range c.PhotoKeys(t, lost.JobID)[system.PhotoTemp] {
		if !strings.HasPrefix(key, "work/") {
			continue
		}
		c.RemoveObject(t, system.PhotoTemp, key)
	}
	c.SetPhoto(t, answered.JobID, client.Editing, time.Hour)
	c.ChangePhoto(t, answered.JobID, "SET calls.#2.outcome = :sent REMOVE editResult, s3FinalKey", map[string]string{"#2": "2"},
		system.Item{":sent": &types.AttributeValueMemberS{Value: "sent"}})
	c.SetPhoto(t, withoutBytes.JobID, client.Processing, time.Hour)
	c.RemoveObject(t, system.PhotoTemp, keyIn(withoutBytes.JobID, system.PhotoTemp, "uploads/"))

	// Neither the client nor the bucket reports these uploads.
	ingest.Kill(t)
	if status, body := system.Put(t, unnotified.Upload, string(photo), nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	c.PutObject(t, system.PhotoTemp, system.Attribute(t, c.PhotoItem(system.Within(t), t, other.JobID), "s3TempKey"), []byte("x"))
	const none = "01HF9GZZZZZZZZZZZZZZZZZZZZ"
	orphan, orphanFinal := blob.Key("work/", none+"/answer-1"), blob.Key("final/", none+"/1.jpg")
	outdated := blob.Key("final/", kept.JobID+"/9.jpg") // left by a crashed worker
	foreign := "elsewhere/file"
	c.PutObject(t, system.PhotoTemp, orphan, []byte("x"))
	c.PutObject(t, system.PhotoTemp, foreign, []byte("x"))
	c.PutObject(t, system.PhotoFinal, orphanFinal, []byte("x"))
	c.PutObject(t, system.PhotoFinal, outdated, []byte("x"))
	// Recreate the streams, because the old ones would drop duplicates of recent messages.
	js := c.JetStream(t)
	for _, stream := range []string{"ASSAY_WORK_PHOTOJOB", "ASSAY_NOTICES"} {
		if err := js.DeleteStream(system.Within(t), stream); err != nil {
			t.Fatal(err)
		}
	}
	c.SetUp(t)
	restarted := c.Service(t, "ingest")
	c.HTTP = restarted.URL
	system.AfterLease()

	findings := map[string]string{
		unused.JobID: "overdue_job", unnotified.JobID: "unnotified_upload", other.JobID: "mismatched_object",
		lost.JobID: "lost_message", answered.JobID: "lost_message", withoutBytes.JobID: "lost_message",
		orphan: "orphan_object", orphanFinal: "orphan_object", outdated: "outdated_object",
		keyIn(oldFailed.JobID, system.PhotoTemp, "uploads/"): "outdated_object",
	}
	for _, key := range c.PhotoKeys(t, old.JobID)[system.PhotoTemp] {
		findings[key] = "outdated_object"
	}
	for _, key := range c.PhotoKeys(t, oldFailed.JobID)[system.PhotoTemp] {
		findings[key] = "outdated_object"
	}
	all := len(findings)
	for range 2 { // a dry run changes nothing
		check(t, "photojob", c.Sweep(t, "--dry-run"), findings, "found", all, 0)
	}
	check(t, "photojob", c.Sweep(t), findings, "repaired", all, all)

	checkRepaired(t, c, map[string]string{
		lost.JobID: client.Completed, answered.JobID: client.Completed, unnotified.JobID: client.Completed,
		kept.JobID: client.Completed, old.JobID: client.Completed,
		unused.JobID: "UPLOAD_EXPIRED", other.JobID: "UPLOAD_MISMATCH", withoutBytes.JobID: "UPLOAD_MISMATCH",
		keptFailed.JobID: "PROMPT_NOT_UNDERSTOOD", oldFailed.JobID: "PROMPT_NOT_UNDERSTOOD",
	}, api)
	for jobID, calls := range map[string]int{lost.JobID: 2, answered.JobID: 2} { // the stored response is not requested again
		if ledger, ok := c.PhotoItem(system.Within(t), t, jobID)["calls"].(*types.AttributeValueMemberM); !ok || len(ledger.Value) != calls {
			t.Errorf("the job %s has the calls %v, want %d", jobID, ledger, calls)
		}
	}
	for bucket, keys := range map[string][]string{system.PhotoTemp: {orphan}, system.PhotoFinal: {orphanFinal, outdated}} {
		for _, key := range keys {
			if err := c.HeadObject(t, bucket, key); err == nil {
				t.Errorf("%s still exists, want it removed", key)
			}
		}
	}
	if err := c.HeadObject(t, system.PhotoTemp, foreign); err != nil {
		t.Errorf("the object outside the prefixes of Assay: %v, want it unchanged", err)
	}
	if len(c.PhotoKeys(t, kept.JobID)) != 2 || len(c.PhotoKeys(t, keptFailed.JobID)[system.PhotoTemp]) == 0 || len(c.PhotoKeys(t, old.JobID)) != 1 {
		t.Errorf("the objects of the consistent jobs are %v, %v and %v, want them unchanged", c.PhotoKeys(t, kept.JobID), c.PhotoKeys(t, keptFailed.JobID), c.PhotoKeys(t, old.JobID))
	}
	system.Eventually(t, func() error {
		if said := c.Sweep(t); !strings.Contains(said, " 0 found, 0 repaired, 0 failed") {
			return errors.New("want no findings after the repair; the sweep printed " + said)
		}
		return nil
	})
}

// checkRepaired waits until each job has ended, and checks its status, or the error code of a FAILED job.
func checkRepaired(t *testing.T, c *system.Cluster, ends map[string]string, api *client.Client) {
	t.Helper()
	for id, want := range ends {
		job, err := api.WaitPhoto(system.Within(t), id)
		if err != nil {
			t.Fatal(err)
		}
		got := job.Status
		if job.Error != nil {
			got = job.Error.Code
		}
		if got != want {
			t.Errorf("the job is %s, want %s", system.JSON(job), want)
		}
		if ids := c.PhotoOutcomes(t, id); len(ids) == 0 {
			t.Errorf("the job %s has no outcomes, want at least one", id)
		}
	}
}

// photoBatchesSurviveALoss: the queued work of a batch of 20 photos, of which 3 fail, one is never uploaded and one is
// deleted, is lost with the streams. The batch becomes PARTIAL after a sweep.
func photoBatchesSurviveALoss(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_UPLOAD_EXPIRES=1s", "ASSAY_RESERVATION_EXPIRES=1100ms")
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	api := c.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 12)
	var photos []client.PhotoReservation
	for i := range client.MaxPhotoBatch {
		photos = append(photos, system.PhotoSource(fmt.Sprintf("%d.jpg", i), "", photo).PhotoReservation)
	}
	photos[0].Prompt, photos[1].Prompt = "abracadabra", "hocus pocus"
	batch, err := api.ReservePhotoBatch(system.Within(t), client.PhotoBatchReservation{Prompt: "sepia", Photos: photos})
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
		if status, body := system.Put(t, job.Upload, content, nil); status != http.StatusOK {
			t.Fatalf("PUT returned %d %s, want 200", status, body)
		}
		if _, err := api.PhotoUploaded(system.Within(t), job.JobID); err != nil {
			t.Fatal(err)
		}
	}
	if err := api.DeletePhoto(system.Within(t), batch.Photos[deleted].JobID); err != nil {
		t.Fatal(err)
	}
	js := c.JetStream(t)
	deleteStreams(system.Within(t), t, js)
	c.SetUp(t)
	c.Service(t, "analyzer")
	system.AfterLease()
	if said := c.Sweep(t); !strings.Contains(said, ", 0 failed") {
		t.Errorf("the sweep printed %s, want 0 failed", said)
	}
	ended := system.BatchEnd(t, api, batch.BatchID)
	if ended.Status != client.Partial || ended.Completed != 15 || ended.Failed != 4 || ended.Deleted != 1 {
		t.Errorf("the batch is %s, want PARTIAL with 15 completed, 4 failed and 1 deleted", system.JSON(ended))
	}
	settled := func() { // the worker of any photo can announce the end of the batch
		for _, job := range batch.Photos {
			c.PhotoOutcomes(t, job.JobID)
		}
	}
	settled()
	if ids := c.PhotoOutcomes(t, batch.BatchID); len(ids) != 1 {
		t.Errorf("outcomes of the batch %v, want one", ids)
	}
	if again, err := api.RetryPhotoBatch(system.Within(t), batch.BatchID); err != nil || again.Failed != 1 { // the job without an upload
		t.Errorf("RetryPhotoBatch = %s, %v; want 1 failed", system.JSON(again), err)
	}
	if ended := system.BatchEnd(t, api, batch.BatchID); ended.Status != client.Partial || ended.Failed != 4 {
		t.Errorf("after the retry, the batch is %s, want PARTIAL with 4 failed", system.JSON(ended))
	}
	settled()
	if ids := c.PhotoOutcomes(t, batch.BatchID); len(ids) != 2 {
		t.Errorf("outcomes of the batch %v, want two", ids)
	}
}
