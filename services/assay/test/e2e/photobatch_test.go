package e2e

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
)

// sendPhotos uploads photos as a batch, and returns its id and its jobs in their order.
func sendPhotos(t *testing.T, c *client.Client, sources ...client.PhotoSource) (batchID string, jobs []client.Photo) {
	t.Helper()
	jobs = make([]client.Photo, len(sources))
	var mu sync.Mutex
	batchID, err := c.UploadPhotoBatch(within(t), sources, client.PhotoBatchReservation{Prompt: "sepia"}, 4, func(i int, p client.Photo, err error) {
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

// batchEnd waits until a batch has ended.
func batchEnd(t *testing.T, c *client.Client, batchID string) client.PhotoBatch {
	t.Helper()
	for {
		batch, err := c.GetPhotoBatch(within(t), batchID, soon/4)
		if err != nil {
			t.Fatal(err)
		}
		if batch.Ended() {
			return batch
		}
	}
}

// batchesEndOnce: a batch with failures ends as PARTIAL and is announced once; a retry of the
// failures is another end, which is announced too.
func batchesEndOnce(t *testing.T, s system) {
	c := s.client(t, newOwner())
	photo := drawPhoto(t, 9)
	batchID, jobs := sendPhotos(t, c,
		photoSource("first.jpg", "", photo), photoSource("prompt.jpg", "abracadabra", photo), photoSource("damaged.jpg", "", photo[:600]),
		photoSource("deleted.jpg", "", photo), photoSource("last.jpg", "crop 1:1", photo))
	if err := c.DeletePhoto(within(t), jobs[3].JobID); err != nil {
		t.Fatal(err)
	}
	batch := batchEnd(t, c, batchID)
	if batch.Status != client.Partial || batch.Total != 5 || batch.Completed != 2 || batch.Failed != 2 || batch.Deleted != 1 || len(batch.Photos) != 4 ||
		batch.Photos[1].ErrorCode != "PROMPT_NOT_UNDERSTOOD" || batch.Photos[2].ErrorCode != "IMAGE_UNREADABLE" || batch.Photos[3].FileName != "last.jpg" {
		t.Errorf("the batch is %s", show(batch))
	}
	ends := func(want int) {
		t.Helper()
		for _, job := range jobs {
			s.photoOutcomes(t, job.JobID) // their work is done
		}
		if ids := s.photoOutcomes(t, batchID); len(ids) != want {
			t.Errorf("outcomes of the batch %v, want %d", ids, want)
		}
	}
	ends(1)
	again, err := c.RetryPhotoBatch(within(t), batchID)
	if err != nil || again.Completed != 2 || again.Failed+again.Queued+again.Processing+again.Editing != 2 {
		t.Errorf("retried as %s, %v", show(again), err)
	}
	if batch := batchEnd(t, c, batchID); batch.Status != client.Partial || batch.Failed != 2 {
		t.Errorf("after the retry it is %s", show(batch))
	}
	ends(2)
	if err := c.DeletePhotoBatch(within(t), batchID); err != nil {
		t.Error(err)
	}
	for _, job := range jobs {
		if left, keys := s.photoItem(within(t), t, job.JobID), s.photoKeys(t, job.JobID); left != nil || len(keys) != 0 {
			t.Errorf("left are %s and %v", show(left), keys)
		}
	}
	ends(2)
}

// largeBatchesEnd: 20 photos, by one prompt, are one batch that is COMPLETED.
func largeBatchesEnd(t *testing.T, s system) {
	c := s.client(t, newOwner())
	var sources []client.PhotoSource
	for i := range client.MaxPhotoBatch {
		sources = append(sources, photoSource(fmt.Sprintf("%d.jpg", i), "", drawPhoto(t, uint32(i))))
	}
	batchID, jobs := sendPhotos(t, c, sources...)
	if batch := batchEnd(t, c, batchID); batch.Status != client.Completed || batch.Completed != len(sources) {
		t.Errorf("the batch is %s", show(batch))
	}
	for i, job := range jobs {
		if ended := endOf(t, c, job.JobID, client.Completed); ended.BatchID != batchID || ended.Prompt != "sepia" || ended.OriginalFileName != sources[i].FileName {
			t.Errorf("photo %d is %s", i, show(ended))
		}
	}
	for _, job := range jobs {
		s.photoOutcomes(t, job.JobID) // their work is done
	}
	if ids := s.photoOutcomes(t, batchID); len(ids) != 1 {
		t.Errorf("outcomes of the batch %v, want one", ids)
	}
}
