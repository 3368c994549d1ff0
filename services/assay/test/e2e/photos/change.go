package photos

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// failedPhotosAreRetried: a FAILED job has a reason and one outcome, and becomes COMPLETED after a retry with a better
// prompt; a job in another state, or without its upload, is not retried.
func failedPhotosAreRetried(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 3)
	job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "abracadabra", photo).JobID, client.Failed)
	if job.Error == nil || job.Error.Code != "PROMPT_NOT_UNDERSTOOD" || job.Error.RetryCount != 0 {
		t.Errorf("the job is %s, want the error PROMPT_NOT_UNDERSTOOD without retries", system.JSON(job))
	}
	if _, err := c.DownloadPhoto(system.Within(t), job.JobID, client.EditedPhoto); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("download of a FAILED job returned %v, want 409", err)
	}
	better := "sepia, abracadabra"
	if again, err := c.RetryPhoto(system.Within(t), job.JobID, client.PhotoChange{Prompt: &better, Options: &client.PhotoOptions{Format: "png"}}); err != nil || again.Error != nil || again.Prompt != better {
		t.Errorf("the retry returned %s, %v; want the new prompt and no error", system.JSON(again), err)
	}
	job = system.AwaitPhoto(t, c, job.JobID, client.Completed)
	if job.Prompt != better || job.Degraded != "not understood: abracadabra" || job.EditResult.Format != "png" || job.Error != nil {
		t.Errorf("after the retry, the job is %s, want a PNG and no error", system.JSON(job))
	}
	if ids := s.PhotoOutcomes(t, job.JobID); len(ids) != 2 {
		t.Errorf("outcomes %v, want one for each final state", ids)
	}
	if _, err := c.RetryPhoto(system.Within(t), job.JobID, client.PhotoChange{}); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("retry of a COMPLETED job returned %v, want 409", err)
	}
	gone := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "abracadabra", photo).JobID, client.Failed)
	for _, key := range s.PhotoKeys(t, gone.JobID)[system.PhotoTemp] {
		s.RemoveObject(t, system.PhotoTemp, key)
	}
	if _, err := c.RetryPhoto(system.Within(t), gone.JobID, client.PhotoChange{Prompt: &better}); !system.IsProblem(err, http.StatusGone) {
		t.Errorf("retry without the upload returned %v, want 410", err)
	}
}

// badPhotosFail: a file that is damaged or not a photo fails with the reason.
func badPhotosFail(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 4)
	for code, bytes := range map[string][]byte{
		"IMAGE_UNREADABLE": photo[:len(photo)/3], "UNSUPPORTED_FORMAT": []byte("BZh91AY&SY, or so"),
	} {
		job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", bytes).JobID, client.Failed)
		if job.Error == nil || job.Error.Code != code || job.EditResult != nil {
			t.Errorf("the job is %s, want the error %s", system.JSON(job), code)
		}
	}
	for contentType, status := range map[string]int{"image/svg+xml": http.StatusUnsupportedMediaType, "video/mp4": http.StatusUnsupportedMediaType} {
		r := client.PhotoReservation{FileName: "a", Size: 1, ContentType: contentType}
		if _, err := c.ReservePhoto(system.Within(t), r, client.PhotoOptions{}); !system.IsProblem(err, status) {
			t.Errorf("a reservation with type %s returned %v, want %d", contentType, err, status)
		}
	}
	large := client.PhotoReservation{FileName: "a", Size: 20_000_001, ContentType: "image/jpeg"}
	if _, err := c.ReservePhoto(system.Within(t), large, client.PhotoOptions{}); !system.IsProblem(err, http.StatusRequestEntityTooLarge) {
		t.Errorf("a reservation of 20,000,001 bytes returned %v, want 413", err)
	}
}

// photosAreCanceled: a canceled job becomes FAILED with the code CANCELLED and has one outcome, regardless of the number
// of cancel calls; its upload does not restart it.
func photosAreCanceled(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 5)
	reserved, err := c.ReservePhoto(system.Within(t), system.PhotoSource("a.jpg", "", photo).PhotoReservation, client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		job, err := c.CancelPhoto(system.Within(t), reserved.JobID)
		if err != nil || job.Status != client.Failed || job.Error == nil || job.Error.Code != "CANCELLED" {
			t.Errorf("CancelPhoto = %s, %v; want FAILED with the code CANCELLED", system.JSON(job), err)
		}
	}
	if status, body := system.Put(t, reserved.Upload, string(photo), nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	if _, err := c.PhotoUploaded(system.Within(t), reserved.JobID); err != nil {
		t.Error(err)
	}
	if ids := s.PhotoOutcomes(t, reserved.JobID); len(ids) != 1 {
		t.Errorf("outcomes %v, want one", ids)
	}
	if job := system.AwaitPhoto(t, c, reserved.JobID, client.Failed); job.Error.Code != "CANCELLED" {
		t.Errorf("after its upload, the job is %s, want the code CANCELLED", system.JSON(job))
	}
	done := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", photo).JobID, client.Completed)
	if _, err := c.CancelPhoto(system.Within(t), done.JobID); !system.IsProblem(err, http.StatusConflict) {
		t.Errorf("canceling a COMPLETED job returned %v, want 409", err)
	}
}

// photosAreDeleted: a delete removes the item and every object; a repeated delete returns the same response.
func photosAreDeleted(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	for _, prompt := range []string{"sepia", "abracadabra"} {
		job := system.SendPhoto(t, c, prompt, system.DrawPhoto(t, 6))
		if _, err := c.WaitPhoto(system.Within(t), job.JobID); err != nil {
			t.Fatal(err)
		}
		s.PhotoOutcomes(t, job.JobID) // waits until its messages are acknowledged
		for range 2 {
			if err := c.DeletePhoto(system.Within(t), job.JobID); err != nil {
				t.Error(err)
			}
		}
		if _, err := c.GetPhoto(system.Within(t), job.JobID, 0); !system.IsProblem(err, http.StatusNotFound) {
			t.Errorf("get after the delete returned %v, want 404", err)
		}
		system.Eventually(t, func() error { // a worker that lost the job removes what it has stored since
			if left, keys := s.PhotoItem(system.Within(t), t, job.JobID), s.PhotoKeys(t, job.JobID); left != nil || len(keys) != 0 {
				return fmt.Errorf("the deleted job left the item %s and the objects %v, want neither", system.JSON(left), keys)
			}
			return nil
		})
	}
}

// foreignPhotosAreNotFound: every call for a job of another owner has the same result as for a job that does not exist.
func foreignPhotosAreNotFound(t *testing.T, s system.System) {
	c, other := s.Client(t, system.NewOwner()), s.Client(t, system.NewOwner())
	job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "abracadabra", system.DrawPhoto(t, 7)).JobID, client.Failed)
	batch, err := c.ReservePhotoBatch(system.Within(t), client.PhotoBatchReservation{Photos: []client.PhotoReservation{system.PhotoSource("a", "", []byte("x")).PhotoReservation}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := system.Within(t)
	for name, call := range map[string]func(*client.Client, string) error{
		"get": func(c *client.Client, id string) error { _, err := c.GetPhoto(ctx, id, 0); return err },
		"download": func(c *client.Client, id string) error {
			_, err := c.DownloadPhoto(ctx, id, client.OriginalPhoto)
			return err
		},
		"uploaded": func(c *client.Client, id string) error { _, err := c.PhotoUploaded(ctx, id); return err },
		"cancel":   func(c *client.Client, id string) error { _, err := c.CancelPhoto(ctx, id); return err },
		"retry": func(c *client.Client, id string) error {
			_, err := c.RetryPhoto(ctx, id, client.PhotoChange{})
			return err
		},
		"batch":   func(c *client.Client, _ string) error { _, err := c.GetPhotoBatch(ctx, batch.BatchID, 0); return err },
		"retries": func(c *client.Client, _ string) error { _, err := c.RetryPhotoBatch(ctx, batch.BatchID); return err },
	} {
		if err := call(other, job.JobID); !system.IsProblem(err, http.StatusNotFound) {
			t.Errorf("%s by another owner returned %v, want 404", name, err)
		}
	}
	for _, id := range []string{"01HF9GZZZZZZZZZZZZZZZZZZZZ", "x", "01HF9GXXXXXXXXXXXXXXXXXXX!"} {
		if _, err := other.GetPhoto(ctx, id, 0); !system.IsProblem(err, http.StatusNotFound) {
			t.Errorf("get of %s returned %v, want 404", id, err)
		}
	}
	if err := other.DeletePhoto(ctx, job.JobID); err != nil {
		t.Error(err)
	}
	if err := other.DeletePhotoBatch(ctx, batch.BatchID); err != nil {
		t.Error(err)
	}
	system.AwaitPhoto(t, c, job.JobID, client.Failed)
	if got, err := c.GetPhotoBatch(ctx, batch.BatchID, 0); err != nil || got.Queued != 1 {
		t.Errorf("the batch is %s, %v; want one queued photo", system.JSON(got), err)
	}
}

// repeatsFindTheFirstPhoto: repeated calls of an owner with an idempotency key return the first job or batch, and calls
// with the same key and other parameters are rejected.
func repeatsFindTheFirstPhoto(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.PhotoSource("a.jpg", "sepia", system.DrawPhoto(t, 8)).PhotoReservation
	batch := client.PhotoBatchReservation{Prompt: "sepia", Photos: []client.PhotoReservation{photo, photo}}
	other := photo
	other.Prompt = "enhance"
	otherBatch := batch
	otherBatch.Photos = []client.PhotoReservation{photo, other}
	reserve := func(key string, p client.PhotoReservation) (string, error) {
		p.Key = key
		reserved, err := c.ReservePhoto(system.Within(t), p, client.PhotoOptions{})
		return reserved.JobID, err
	}
	reserveBatch := func(key string, b client.PhotoBatchReservation) (string, error) {
		b.Key = key
		reserved, err := c.ReservePhotoBatch(system.Within(t), b)
		return reserved.BatchID, err
	}
	const repeats = 50
	ids := make([]string, 2*repeats)
	var calls sync.WaitGroup
	for i := range repeats {
		calls.Go(func() {
			var err error
			if ids[i], err = reserve("k", photo); err != nil {
				t.Error(err)
			}
			if ids[repeats+i], err = reserveBatch("b", batch); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if ids = slices.Compact(ids); len(ids) != 2 || ids[0] == ids[1] {
		t.Errorf("the calls returned %v, want one job and one batch", ids)
	}
	if _, err := reserve("k", other); !system.IsProblem(err, http.StatusUnprocessableEntity) {
		t.Errorf("the same key with another prompt returned %v, want 422", err)
	}
	if _, err := reserveBatch("b", otherBatch); !system.IsProblem(err, http.StatusUnprocessableEntity) {
		t.Errorf("the same key with another batch returned %v, want 422", err)
	}
	resp, body := s.Ask(t, http.MethodPost, "/v1/photos", map[string]string{"Idempotency-Key": "k", "Content-Type": "application/json"}, system.JSON(photo))
	system.Refused(t, resp, body, http.StatusBadRequest, "owner-required")
}

// deletedPhotosCanBeSentAgain: a job that is created again after its deletion has the same id, because of its idempotency
// key, and is edited like a new one, even with the same photo at once.
func deletedPhotosCanBeSentAgain(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	photo := system.DrawPhoto(t, 9)
	first := ""
	for round := range 3 {
		source := system.PhotoSource("a.jpg", "sepia", photo)
		source.Key = "again"
		job, err := c.UploadPhoto(system.Within(t), source, client.PhotoOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first = cmp.Or(first, job.JobID); job.JobID != first {
			t.Errorf("round %d: the job is %s, want %s", round, job.JobID, first)
		}
		if round != 1 { // in round 1, the deleted job may not be edited yet
			system.AwaitPhoto(t, c, job.JobID, client.Completed)
		}
		if err := c.DeletePhoto(system.Within(t), job.JobID); err != nil {
			t.Fatal(err)
		}
	}
}
