package photojob

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

var (
	// errNoOwner reports an idempotency key without an owner, whose key it would be.
	errNoOwner = errors.New("an idempotency key requires an owner")
	// errOtherTerms reports that an idempotency key was used for other terms.
	errOtherTerms = errors.New("the idempotency key was used with other parameters")
	errTooLarge   = errors.New("the photo is larger than the limit")
	errMediaType  = errors.New("the media type is not that of a photo")
	// errNoProvider reports that no provider would do the job.
	errNoProvider = errors.New("the provider is not enabled")
)

// accept checks terms and returns them complete. Field begins the names of what is wrong.
func accept(t photojob.Terms, field string) (photojob.Terms, error) {
	t = t.Completed()
	var wrong []web.FieldError
	for _, v := range t.Check() {
		wrong = append(wrong, web.FieldError{Field: field + v.Field, Message: v.Message})
	}
	digest, err := receive.ParseDigest(t.SHA256)
	if err != nil {
		wrong = append(wrong, web.FieldError{Field: field + "sha256", Message: err.Error()})
	}
	if t.SHA256 = digest; len(wrong) > 0 {
		return t, web.Invalid(wrong...)
	}
	switch {
	case !slices.Contains(photojob.FileTypes(), t.ContentType):
		return t, errMediaType
	case t.Size > photojob.MaxSize:
		return t, errTooLarge
	}
	return t, nil
}

// offered returns errNoProvider when operators have enabled neither the provider of a job
// nor one of its fallback. Jobs that were accepted wait for one.
func (a *Area) offered(ctx context.Context, name string) error {
	if name == photojob.Stub {
		return nil
	}
	p, err := a.policies.Get(ctx, name)
	if err != nil || p.Settings.Enabled {
		return err
	}
	for _, other := range p.Settings.Fallback {
		if other == photojob.Stub {
			return nil
		}
		next, err := a.policies.Get(ctx, other)
		if err != nil || next.Settings.Enabled {
			return err
		}
	}
	return errNoProvider
}

// create writes a QUEUED job. Under an idempotency key that is taken it returns the job of
// the first call, or errOtherTerms.
func (a *Area) create(ctx context.Context, owner, idempotencyKey string, terms photojob.Terms) (photojob.Job, error) {
	if err := a.offered(ctx, terms.Options.Provider); err != nil {
		return photojob.Job{}, err
	}
	id, err := photojob.NewID(owner, idempotencyKey)
	if err != nil {
		return photojob.Job{}, err
	}
	job, err := a.store.Create(ctx, terms.Job(id, owner).Traced(obs.TraceFrom(ctx)))
	if !errors.Is(err, photojob.ErrExists) {
		return job, err
	}
	job, err = a.store.Get(ctx, id)
	if err == nil && job.S3TempKey != terms.UploadKey(id) {
		err = errOtherTerms
	}
	return job, err
}

// createBatch writes the QUEUED jobs of a batch, all or none. It returns what create does.
func (a *Area) createBatch(ctx context.Context, owner, idempotencyKey string, terms []photojob.Terms) (photojob.Batch, error) {
	if err := a.offered(ctx, terms[0].Options.Provider); err != nil { // the options are those of all
		return photojob.Batch{}, err
	}
	id, err := photojob.NewID(owner, idempotencyKey)
	if err != nil {
		return photojob.Batch{}, err
	}
	jobs, err := photojob.NewBatch(id, owner, terms)
	if err != nil {
		return photojob.Batch{}, err
	}
	asked := map[string]string{}
	for i, job := range jobs {
		jobs[i] = job.Traced(obs.TraceFrom(ctx))
		asked[job.JobID] = job.S3TempKey
	}
	batch, err := a.store.CreateBatch(ctx, id, jobs)
	if !errors.Is(err, photojob.ErrExists) {
		return batch, err
	}
	batch, err = a.store.Batch(ctx, id)
	if err != nil {
		return batch, err
	}
	other := batch.Size != len(terms)
	for _, job := range batch.Jobs {
		other = other || asked[job.JobID] != job.S3TempKey
	}
	if other {
		return batch, errOtherTerms
	}
	return batch, nil
}

// sign returns the request by which a client uploads the photo of a job.
func (a *Area) sign(ctx context.Context, job photojob.Job, digest string) (blob.Presigned, error) {
	return a.temp.PresignPut(ctx, job.S3TempKey, blob.Terms{
		Size: job.FileSize, ContentType: job.FileType, SHA256: digest, Expires: uploadExpires,
	})
}
