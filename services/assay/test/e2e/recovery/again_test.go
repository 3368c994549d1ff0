package recovery

import (
	"net/http"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestDeletedPhotosAreCreatedAgain: a photo job that was deleted before its work began, and is created again with the same
// idempotency key, is edited once its content is uploaded, even if a worker receives the event of the deleted job before.
func TestDeletedPhotosAreCreatedAgain(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	c.Front(t, c.Service(t, "ingest"), c.Service(t, "query"))
	api := c.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 10)
	source := system.PhotoSource("a.jpg", "sepia", photo)
	source.Key = "again"
	job, err := api.UploadPhoto(system.Within(t), source, client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := api.DeletePhoto(system.Within(t), job.JobID); err != nil {
		t.Fatal(err)
	}
	reserved, err := api.ReservePhoto(system.Within(t), source.PhotoReservation, client.PhotoOptions{})
	if err != nil || reserved.JobID != job.JobID {
		t.Fatalf("the job is %s, %v, want %s", reserved.JobID, err, job.JobID)
	}
	c.Service(t, "analyzer").Await(t, "the job was deleted and created again")
	if status, body := system.Put(t, reserved.Upload, string(photo), nil); status != http.StatusOK {
		t.Fatalf("the upload was answered with %d: %s", status, body)
	}
	system.AwaitPhoto(t, api, job.JobID, client.Completed)
}
