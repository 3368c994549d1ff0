package system

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// photosPerDamaged is the number of photos in a load per damaged photo.
const photosPerDamaged = 20

// loadPhoto returns a photo of a load and its required outcome: an edited photo or a failure.
func loadPhoto(t *testing.T, i int) (client.PhotoSource, audit.Promise) {
	t.Helper()
	photo, p := DrawPhoto(t, uint32(i)), audit.Promise{Run: fmt.Sprint("photo ", i), Area: photojob.Name, Result: "120 × 120 png"}
	if i%photosPerDamaged == 0 {
		photo, p.End, p.Result = photo[:len(photo)/2], audit.Failed, ""
	}
	source := PhotoSource(fmt.Sprint(i, ".jpg"), "auto levels, crop 1:1, as png", photo)
	return source, p
}

// uploadPhoto uploads a photo until it is accepted.
func (l *Load) uploadPhoto(ctx context.Context, t *testing.T, i int) []audit.Promise {
	t.Helper()
	source, p := loadPhoto(t, i/7)
	source.Key = uuid.Must(uuid.NewV7()).String()
	l.again(ctx, t, func() error {
		job, err := l.client.UploadPhoto(ctx, source, client.PhotoOptions{})
		p.ID, p.At = job.JobID, time.Now()
		return err
	})
	return []audit.Promise{p}
}

// uploadPhotos uploads a batch until each of its photos is accepted.
func (l *Load) uploadPhotos(ctx context.Context, t *testing.T, i int) []audit.Promise {
	t.Helper()
	const size = 3
	sources, promises := make([]client.PhotoSource, size), make([]audit.Promise, size, size+1)
	status := client.Completed
	for n := range sources {
		if sources[n], promises[n] = loadPhoto(t, i/7+n); promises[n].End == audit.Failed {
			status = client.Partial
		}
	}
	key, batch := uuid.Must(uuid.NewV7()).String(), audit.Promise{Run: fmt.Sprint("batch ", i), Area: photojob.Name, Result: status}
	l.again(ctx, t, func() error {
		var mu sync.Mutex
		var failed error
		id, err := l.client.UploadPhotoBatch(ctx, sources, client.PhotoBatchReservation{Key: key}, 1, func(n int, job client.Photo, err error) {
			mu.Lock()
			defer mu.Unlock()
			if promises[n].ID, promises[n].At = job.JobID, time.Now(); err != nil {
				failed = err
			}
		})
		if batch.ID, batch.At = id, time.Now(); err != nil {
			return err
		}
		return failed
	})
	return append(promises, batch)
}

// again calls f until it succeeds.
func (l *Load) again(ctx context.Context, t *testing.T, f func() error) {
	t.Helper()
	for {
		err := f()
		if err == nil {
			return
		}
		l.failed(err)
		select {
		case <-ctx.Done():
			t.Errorf("upload: %v", err)
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}
