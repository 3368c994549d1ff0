package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"
)

// PhotoReservation declares a photo.
type PhotoReservation struct {
	FileName    string `json:"fileName"`
	Size        int64  `json:"size"` // bytes, exact
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256,omitempty"` // hex; the bucket then rejects other bytes
	Prompt      string `json:"prompt,omitempty"` // empty is enhance, or the prompt of the batch
	// Key is as of Reservation. That of a photo in a batch is not used.
	Key string `json:"-"`
}

// PhotoSource is a photo and its bytes, which may be read more than once.
type PhotoSource struct {
	PhotoReservation
	Content io.ReaderAt
	// Progress is as of Source.
	Progress func(sent int64)
}

// ReservedPhoto is a job that waits for its upload, and the request that uploads it.
type ReservedPhoto struct {
	JobID  string        `json:"jobId"`
	Status string        `json:"status"` // not of a photo in a batch
	Upload UploadRequest `json:"upload"`
}

// ReservedPhotoBatch is a batch whose jobs wait for their uploads. Photos has those that were not
// deleted, in their order.
type ReservedPhotoBatch struct {
	BatchID string          `json:"batchId"`
	Photos  []ReservedPhoto `json:"photos"`
}

// ReservePhoto creates a QUEUED job.
func (c *Client) ReservePhoto(ctx context.Context, r PhotoReservation, o PhotoOptions) (ReservedPhoto, error) {
	var reserved ReservedPhoto
	err := c.do(ctx, reservation("photos", r.Key, struct {
		PhotoReservation
		Options PhotoOptions `json:"options"`
	}{r, o}), &reserved)
	return reserved, err
}

// PhotoBatchReservation declares the photos of a batch.
type PhotoBatchReservation struct {
	Prompt  string             `json:"prompt,omitempty"` // of photos without one
	Options PhotoOptions       `json:"options"`
	Photos  []PhotoReservation `json:"photos"` // 1 to MaxPhotoBatch
	Key     string             `json:"-"`      // as of Reservation
}

// ReservePhotoBatch creates the QUEUED jobs of a batch, all or none.
func (c *Client) ReservePhotoBatch(ctx context.Context, r PhotoBatchReservation) (ReservedPhotoBatch, error) {
	var reserved ReservedPhotoBatch
	err := c.do(ctx, reservation("photo-batches", r.Key, r), &reserved)
	return reserved, err
}

func reservation(of, key string, body any) call {
	if key == "" {
		key = newKey()
	}
	return call{method: http.MethodPost, path: join(strings.Split(of, "/")...), body: body, header: http.Header{"Idempotency-Key": {key}}}
}

// UploadPhoto reserves a photo, uploads its bytes to the bucket and confirms the upload. It returns
// the job's current state, usually QUEUED. It retries as Upload does, without creating a second job.
func (c *Client) UploadPhoto(ctx context.Context, src PhotoSource, o PhotoOptions) (Photo, error) {
	if src.Key == "" {
		src.Key = newKey()
	}
	var reserved ReservedPhoto
	err := c.deliver(ctx, src.source(), func() (to delivery, err error) {
		reserved, err = c.ReservePhoto(ctx, src.PhotoReservation, o)
		return delivery{UploadRequest: reserved.Upload}, err
	})
	if err != nil {
		return Photo{}, err
	}
	return c.PhotoUploaded(ctx, reserved.JobID)
}

// UploadPhotoBatch reserves the photos of the sources as a batch with the prompt and options of r,
// whose Photos are not read, and uploads at most parallel of them at once. It calls uploaded for each
// of them, concurrently, with its index and what UploadPhoto returns. It returns an error when
// nothing was reserved.
func (c *Client) UploadPhotoBatch(ctx context.Context, sources []PhotoSource, r PhotoBatchReservation, parallel int, uploaded func(i int, p Photo, err error)) (batchID string, err error) {
	if r.Key == "" {
		r.Key = newKey()
	}
	r.Photos = make([]PhotoReservation, len(sources))
	for i, src := range sources {
		r.Photos[i] = src.PhotoReservation
	}
	reserve := func() (ReservedPhotoBatch, error) {
		batch, err := c.ReservePhotoBatch(ctx, r)
		if err == nil && len(batch.Photos) != len(sources) {
			err = fmt.Errorf("%d jobs of the batch %s were deleted", len(sources)-len(batch.Photos), batch.BatchID)
		}
		return batch, err
	}
	batch, err := reserve()
	if err != nil {
		return "", err
	}
	var uploads errgroup.Group
	uploads.SetLimit(max(parallel, 1))
	for i, src := range sources {
		uploads.Go(func() error {
			mine, tried := batch, false
			err := c.deliver(ctx, src.source(), func() (to delivery, err error) {
				if tried {
					mine, err = reserve()
				}
				if tried = true; err == nil {
					to.UploadRequest = mine.Photos[i].Upload
				}
				return to, err
			})
			var photo Photo
			if err == nil {
				photo, err = c.PhotoUploaded(ctx, batch.Photos[i].JobID)
			}
			uploaded(i, photo, err)
			return nil
		})
	}
	return batch.BatchID, uploads.Wait()
}

func (p PhotoSource) source() Source {
	return Source{Reservation: Reservation{Size: p.Size}, Content: p.Content, Progress: p.Progress}
}

// PhotoUploaded reports that the bytes of a reserved photo are in the bucket. The Problem is 409
// when they are missing, or differ from the reservation.
func (c *Client) PhotoUploaded(ctx context.Context, jobID string) (Photo, error) {
	var photo Photo
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", jobID, "uploaded")}, &photo)
	return photo, err
}
