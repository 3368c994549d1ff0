package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"
)

// PhotoReservation describes a photo to upload.
type PhotoReservation struct {
	FileName    string `json:"fileName"`
	Size        int64  `json:"size"` // exact size in bytes
	ContentType string `json:"contentType"`
	SHA256      string `json:"sha256,omitempty"` // hex; the bucket then rejects other content
	Prompt      string `json:"prompt,omitempty"` // empty means enhance, or the prompt of the batch
	// Key is like Reservation.Key. It is ignored for a photo in a batch.
	Key string `json:"-"`
}

// PhotoSource is a photo and its content, which may be read more than once.
type PhotoSource struct {
	PhotoReservation
	Content io.ReaderAt
	// Progress is like Source.Progress.
	Progress func(sent int64)
}

// ReservedPhoto is a job that waits for its upload, with the request that uploads it.
type ReservedPhoto struct {
	JobID  string        `json:"jobId"`
	Status string        `json:"status"` // empty for a photo in a batch
	Upload UploadRequest `json:"upload"`
}

// ReservedPhotoBatch is a batch whose jobs wait for their uploads. Photos contains the jobs that
// were not deleted, in order.
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

// PhotoBatchReservation describes the photos of a batch.
type PhotoBatchReservation struct {
	Prompt  string             `json:"prompt,omitempty"` // for photos without a prompt
	Options PhotoOptions       `json:"options"`
	Photos  []PhotoReservation `json:"photos"` // 1 to MaxPhotoBatch
	Key     string             `json:"-"`      // see Reservation
}

// ReservePhotoBatch creates all QUEUED jobs of a batch, or none.
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

// UploadPhoto reserves a photo, uploads its content to the bucket and confirms the upload. It
// returns the job's current state, usually QUEUED. It retries as Upload does, without creating a
// second job.
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
// ignoring r.Photos, and uploads at most parallel of them concurrently. It calls uploaded for each
// photo, concurrently, with its index and the result of its upload. It returns an error if the
// reservation failed.
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

// PhotoUploaded reports that the content of a reserved photo is in the bucket. It returns a Problem
// with status 409 if the content is missing or differs from the reservation.
func (c *Client) PhotoUploaded(ctx context.Context, jobID string) (Photo, error) {
	var photo Photo
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", jobID, "uploaded")}, &photo)
	return photo, err
}
