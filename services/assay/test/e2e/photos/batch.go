package photos

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// sendPhotos uploads photos as a batch and returns the id of the batch and its jobs in order.
func sendPhotos(t *testing.T, c *client.Client, sources ...client.PhotoSource) (batchID string, jobs []client.Photo) {
	t.Helper()
	jobs = make([]client.Photo, len(sources))
	var mu sync.Mutex
	batchID, err := c.UploadPhotoBatch(system.Within(t), sources, client.PhotoBatchReservation{Prompt: "sepia"}, 4, func(i int, p client.Photo, err error) {
		mu.Lock()
		defer mu.Unlock()
		if jobs[i] = p; err != nil {
			t.Errorf("upload %d: %v", i, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return batchID, jobs
}

// batchesEndOnce: a batch with failures becomes PARTIAL and is announced once; after a retry of the
// failed jobs, the batch ends and is announced again.
func batchesEndOnce(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 9)
	batchID, jobs := sendPhotos(t, c,
		system.PhotoSource("first.jpg", "", photo), system.PhotoSource("prompt.jpg", "abracadabra", photo), system.PhotoSource("damaged.jpg", "", photo[:600]),
		system.PhotoSource("deleted.jpg", "", photo), system.PhotoSource("last.jpg", "crop 1:1", photo))
	if err := c.DeletePhoto(system.Within(t), jobs[3].JobID); err != nil {
		t.Fatal(err)
	}
	batch := system.BatchEnd(t, c, batchID)
	if batch.Status != client.Partial || batch.Total != 5 || batch.Completed != 2 || batch.Failed != 2 || batch.Deleted != 1 || len(batch.Photos) != 4 ||
		batch.Photos[1].ErrorCode != "PROMPT_NOT_UNDERSTOOD" || batch.Photos[2].ErrorCode != "IMAGE_UNREADABLE" || batch.Photos[3].FileName != "last.jpg" {
		t.Errorf("the batch is %s, want PARTIAL with 2 completed, 2 failed and 1 deleted", system.JSON(batch))
	}
	ends := func(want int) {
		t.Helper()
		for _, job := range jobs {
			s.PhotoOutcomes(t, job.JobID) // waits until its messages are acknowledged
		}
		if ids := s.PhotoOutcomes(t, batchID); len(ids) != want {
			t.Errorf("outcomes of the batch %v, want %d", ids, want)
		}
	}
	ends(1)
	again, err := c.RetryPhotoBatch(system.Within(t), batchID)
	if err != nil || again.Completed != 2 || again.Failed+again.Queued+again.Processing+again.Editing != 2 {
		t.Errorf("the retry returned %s, %v; want 2 completed photos and 2 others", system.JSON(again), err)
	}
	if batch := system.BatchEnd(t, c, batchID); batch.Status != client.Partial || batch.Failed != 2 {
		t.Errorf("after the retry, the batch is %s, want PARTIAL with 2 failed", system.JSON(batch))
	}
	ends(2)
	if err := c.DeletePhotoBatch(system.Within(t), batchID); err != nil {
		t.Error(err)
	}
	for _, job := range jobs {
		if left, keys := s.PhotoItem(system.Within(t), t, job.JobID), s.PhotoKeys(t, job.JobID); left != nil || len(keys) != 0 {
			t.Errorf("the deleted job %s left the item %s and the objects %v, want neither", job.JobID, system.JSON(left), keys)
		}
	}
	ends(2)
}

// largeBatchesEnd: a batch of 20 photos with one prompt becomes COMPLETED.
func largeBatchesEnd(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	var sources []client.PhotoSource
	for i := range client.MaxPhotoBatch {
		sources = append(sources, system.PhotoSource(fmt.Sprintf("%d.jpg", i), "", system.DrawPhoto(t, uint32(i))))
	}
	batchID, jobs := sendPhotos(t, c, sources...)
	if batch := system.BatchEnd(t, c, batchID); batch.Status != client.Completed || batch.Completed != len(sources) {
		t.Errorf("the batch is %s, want COMPLETED with %d photos", system.JSON(batch), len(sources))
	}
	for i, job := range jobs {
		if ended := system.AwaitPhoto(t, c, job.JobID, client.Completed); ended.BatchID != batchID || ended.Prompt != "sepia" || ended.OriginalFileName != sources[i].FileName {
			t.Errorf("photo %d is %s, want %s in the batch", i, system.JSON(ended), sources[i].FileName)
		}
	}
	for _, job := range jobs {
		s.PhotoOutcomes(t, job.JobID) // waits until its messages are acknowledged
	}
	if ids := s.PhotoOutcomes(t, batchID); len(ids) != 1 {
		t.Errorf("outcomes of the batch %v, want one", ids)
	}
}
