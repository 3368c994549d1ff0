package crashpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/extract/pixels/scene"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// photoScenarios returns the scenarios of photo jobs. Their clients do not give up: a job
// without an upload is not removed, but becomes FAILED.
func photoScenarios() []scenario {
	return []scenario{
		{name: "photo in a form", roles: textRoles, play: photoByForm},
		{name: "photo presigned and reported", roles: textRoles, play: photoReported},
		{name: "photo presigned and notified", roles: textRoles, notices: true, play: photoNoticed},
		{name: "damaged photo", roles: textRoles, play: damagedPhoto},
		{name: "photo retry", roles: textRoles, play: photoFailedBefore},
		{name: "photo cancel", roles: textRoles, play: photoCanceled},
		{name: "photo delete", roles: textRoles, play: photoDeletedLater},
		{name: "photo delete during processing", roles: textRoles, play: photoDeletedDuringProcessing},
		{name: "photo batch", roles: textRoles, play: photoBatch},
		{name: "paid photo", roles: textRoles, play: paidPhoto},
		{name: "photo sweep", roles: []string{sweep}, play: photosSweptUp},
	}
}

// editedPhoto is the result of a job without a prompt.
const editedPhoto = "160 × 120 jpeg"

func drawPhoto() []byte {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, scene.New(160, 120, 1), nil); err != nil {
		panic(err) // writes to a buffer do not fail
	}
	return out.Bytes()
}

// photoID returns the id of the client's job or batch.
func (r *run) photoID() string {
	id, err := photojob.NewID(r.owner, r.key)
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	return id
}

func (r *run) promisedPhoto(ctx context.Context, p audit.Promise) {
	p.Area = photojob.Name
	if p.ID == "" {
		p.ID = r.photoID()
	}
	r.promised(ctx, p)
}

// finalPhoto returns an error until a job or a batch is in its promised final state.
func (r *run) finalPhoto(ctx context.Context, p audit.Promise) error {
	job, err := r.system.jobs.Get(ctx, p.ID)
	if errors.Is(err, lifecycle.ErrNotFound) && p.End != audit.Gone {
		batch, err := r.system.jobs.Batch(ctx, p.ID)
		if err == nil && !batch.Ended() {
			err = fmt.Errorf("the batch is %s", batch.Status())
		}
		return err
	}
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil
	case err == nil && (!job.Final() || p.End == audit.Gone):
		return fmt.Errorf("its state is %s", job.Status)
	}
	return err
}

func (r *run) postPhoto(ctx context.Context, photo []byte) {
	header, body := form("image/jpeg", string(photo))
	r.send(ctx, request{method: http.MethodPost, path: "/v1/photos", header: header, body: body, want: []int{http.StatusAccepted}})
}

// photoUpload is a reserved job with the request for its upload.
type photoUpload struct {
	JobID  string
	Upload struct {
		URL     string
		Headers map[string]string
	}
}

// reservePhotos makes a call that reserves uploads, and decodes the response.
func (r *run) reservePhotos(ctx context.Context, path, body string, into any) {
	_, answer := r.send(ctx, request{
		method: http.MethodPost, path: path, header: map[string]string{"Content-Type": "application/json"}, body: []byte(body), want: []int{http.StatusCreated},
	})
	if err := json.Unmarshal(answer, into); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
	}
}

func (r *run) putPhoto(ctx context.Context, u photoUpload, photo []byte) {
	r.send(ctx, request{
		method: http.MethodPut, path: u.Upload.URL, header: u.Upload.Headers, body: photo, want: []int{http.StatusOK, http.StatusPreconditionFailed},
	})
}

func (r *run) reserveAndPutPhoto(ctx context.Context) {
	var u photoUpload
	photo := drawPhoto()
	r.reservePhotos(ctx, "/v1/photos", fmt.Sprintf(`{"fileName":"a.jpg","contentType":"image/jpeg","size":%d}`, len(photo)), &u)
	r.putPhoto(ctx, u, photo)
}

// change makes a call that changes the client's job.
func (r *run) change(ctx context.Context, jobID, what string, want ...int) (status int) {
	status, _ = r.send(ctx, request{method: http.MethodPost, path: "/v1/photos/" + jobID + "/" + what, want: append(want, http.StatusAccepted)})
	return status
}

func photoByForm(ctx context.Context, r *run) {
	r.begin()
	r.postPhoto(ctx, drawPhoto())
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto})
}

func photoReported(ctx context.Context, r *run) {
	r.begin()
	r.reserveAndPutPhoto(ctx)
	r.change(ctx, r.photoID(), "uploaded")
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto})
}

func photoNoticed(ctx context.Context, r *run) {
	r.begin()
	r.reserveAndPutPhoto(ctx)
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto})
}

func damagedPhoto(ctx context.Context, r *run) {
	r.begin()
	r.postPhoto(ctx, drawPhoto()[:700])
	r.promisedPhoto(ctx, audit.Promise{End: audit.Failed})
}

// photoFailedBefore retries a job that can succeed but that the test moved to FAILED.
func photoFailedBefore(ctx context.Context, r *run) {
	r.reserveAndPutPhoto(ctx)
	job, err := r.system.jobs.Get(ctx, r.photoID())
	if err == nil {
		_, err = r.system.jobs.Fail(ctx, job, photojob.JobError{Code: photojob.CodeInternal, Message: "by hand"})
	}
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	r.begin()
	if r.change(ctx, r.photoID(), "retry", http.StatusConflict) == http.StatusConflict {
		// An earlier attempt moved the job to QUEUED, and may have crashed before it
		// published the event.
		r.change(ctx, r.photoID(), "uploaded")
	}
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto, Retried: true})
}

func photoCanceled(ctx context.Context, r *run) {
	r.reserveAndPutPhoto(ctx)
	r.begin()
	r.change(ctx, r.photoID(), "cancel")
	r.promisedPhoto(ctx, audit.Promise{End: audit.Failed})
}

func photoDeletedLater(ctx context.Context, r *run) {
	r.postPhoto(ctx, drawPhoto())
	r.settle(ctx, audit.Promise{Area: photojob.Name, ID: r.photoID(), At: time.Now()})
	r.begin()
	r.deletePhoto(ctx)
}

func photoDeletedDuringProcessing(ctx context.Context, r *run) {
	r.begin()
	r.postPhoto(ctx, drawPhoto())
	r.deletePhoto(ctx)
}

func (r *run) deletePhoto(ctx context.Context) {
	r.send(ctx, request{method: http.MethodDelete, path: "/v1/photos/" + r.photoID(), want: []int{http.StatusNoContent}})
	r.promisedPhoto(ctx, audit.Promise{End: audit.Gone})
}

// photoBatch uploads a batch that becomes PARTIAL, because one of its photos is damaged.
func photoBatch(ctx context.Context, r *run) {
	var batch struct{ Photos []photoUpload }
	photos := [][]byte{drawPhoto(), drawPhoto()[:700]}
	r.begin()
	r.reservePhotos(ctx, "/v1/photo-batches", fmt.Sprintf(`{"photos":[{"fileName":"a.jpg","contentType":"image/jpeg","size":%d},
		{"fileName":"b.jpg","contentType":"image/jpeg","size":%d}]}`, len(photos[0]), len(photos[1])), &batch)
	for i, u := range batch.Photos {
		r.putPhoto(ctx, u, photos[i])
		r.change(ctx, u.JobID, "uploaded")
	}
	if len(batch.Photos) != len(photos) {
		r.t.Errorf("%s: the batch has %d photos, want 2", r.title, len(batch.Photos))
		return
	}
	r.promisedPhoto(ctx, audit.Promise{ID: batch.Photos[0].JobID, Result: editedPhoto})
	r.promisedPhoto(ctx, audit.Promise{ID: batch.Photos[1].JobID, End: audit.Failed})
	r.promisedPhoto(ctx, audit.Promise{Result: string(photojob.Partial)})
}

// photosSweptUp prepares states that only a sweep can repair: an unnotified upload, a
// job whose message is lost, and orphan objects in both buckets.
func photosSweptUp(ctx context.Context, r *run) {
	s := r.system
	r.reserveAndPutPhoto(ctx)
	unnotified := r.photoID()
	r.key = uuid.Must(uuid.NewV7()).String()
	r.reserveAndPutPhoto(ctx)
	job, err := s.jobs.Get(ctx, r.photoID())
	if err == nil {
		_, err = s.jobs.Claim(ctx, job)
	}
	orphan, idErr := photojob.NewID("", "")
	wrong := []error{err, idErr}
	for bucket, key := range map[string]string{s.cfg.PhotoJob.Temp: photojob.AnswerKey(orphan, 1), s.cfg.PhotoJob.Final: photojob.FinalKey(orphan, 1, "jpeg")} {
		_, err := s.audit.Bucket().In(bucket).Put(ctx, key, "image/jpeg", nil, strings.NewReader("x"))
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(expires):
	}
	r.begin()
	s.sweep(ctx, r.t)
	for _, id := range []string{unnotified, job.JobID} {
		r.promisedPhoto(ctx, audit.Promise{ID: id, Result: editedPhoto})
	}
	s.promise(audit.Promise{Run: r.title, Area: photojob.Name, ID: orphan, End: audit.Gone})
}
