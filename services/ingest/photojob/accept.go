package photojob

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

var (
	// errNoOwner means that an idempotency key was sent without an owner.
	errNoOwner = errors.New("an idempotency key requires an owner")
	// errOtherTerms means that an idempotency key was used with other parameters.
	errOtherTerms = errors.New("the idempotency key was used with other parameters")
	errTooLarge   = errors.New("the photo is larger than the limit")
	errMediaType  = errors.New("the media type is not a supported photo type")
	// errNoProvider means that no enabled provider can process the job.
	errNoProvider = errors.New("the provider is not enabled")
)

// accept checks terms and returns them with defaults. field is the prefix of field names in errors.
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

// route returns the provider of a job: the one that the client specified, or the operators'
// default, or the local provider while the default is disabled. It returns errNoProvider if the
// specified provider is not offered.
func (a *Area) route(ctx context.Context, t photojob.Terms) (string, error) {
	if !t.Unasked {
		return t.Options.Provider, a.offered(ctx, t.Options.Provider)
	}
	d, err := a.policies.Default(ctx)
	if err == nil {
		err = a.offered(ctx, d.Provider)
	}
	if errors.Is(err, errNoProvider) {
		return photojob.Stub, nil
	}
	return d.Provider, err
}

// offered returns errNoProvider if neither the provider nor any of its fallbacks is enabled. Jobs
// accepted earlier wait until one is enabled.
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

// create writes a QUEUED job. For a used idempotency key, it returns the job of the first call, even
// if its provider has since been disabled, or errOtherTerms if the terms differ.
func (a *Area) create(ctx context.Context, owner, idempotencyKey string, terms photojob.Terms) (photojob.Job, error) {
	id, err := photojob.NewID(owner, idempotencyKey)
	if err != nil {
		return photojob.Job{}, err
	}
	route, refused := a.route(ctx, terms)
	if refused == nil {
		_, refused = a.quotas.Reserve(ctx, owner, quota.Item{Area: photojob.Name, ID: id, Bytes: terms.Size})
	}
	if refused == nil {
		job, err := a.store.Create(ctx, routed(terms.Job(id, owner), route).Traced(obs.TraceFrom(ctx)))
		if !errors.Is(err, photojob.ErrExists) {
			return job, err
		}
	}
	job, err := a.store.Get(ctx, id)
	switch {
	case err != nil:
		return photojob.Job{}, cmp.Or(refused, err)
	case job.S3TempKey != terms.UploadKey(id):
		return job, errOtherTerms
	}
	return job, nil
}

// routed returns a new job with a provider. The upload key is derived from the client's request, so
// that a repeated call matches even if the default has changed.
func routed(job photojob.Job, provider string) photojob.Job {
	job.Provider, job.Options.Provider = provider, provider
	return job
}

// createBatch writes the QUEUED jobs of a batch, either all or none. It returns the errors of create.
func (a *Area) createBatch(ctx context.Context, owner, idempotencyKey string, terms []photojob.Terms) (photojob.Batch, error) {
	id, err := photojob.NewID(owner, idempotencyKey)
	if err != nil {
		return photojob.Batch{}, err
	}
	jobs, err := photojob.NewBatch(id, owner, terms)
	if err != nil {
		return photojob.Batch{}, err
	}
	route, refused := a.route(ctx, terms[0]) // all jobs have the same options
	// requested contains the upload keys of this request by job id.
	requested, counted := map[string]string{}, make([]quota.Item, len(jobs))
	for i, job := range jobs {
		jobs[i] = routed(job, route).Traced(obs.TraceFrom(ctx))
		requested[job.JobID] = job.S3TempKey
		counted[i] = quota.Item{Area: photojob.Name, ID: job.JobID, Bytes: job.FileSize}
	}
	if refused == nil {
		_, refused = a.quotas.Reserve(ctx, owner, counted...)
	}
	if refused == nil {
		batch, err := a.store.CreateBatch(ctx, id, jobs)
		if !errors.Is(err, photojob.ErrExists) {
			return batch, err
		}
	}
	batch, err := a.store.Batch(ctx, id)
	if err != nil {
		return batch, cmp.Or(refused, err)
	}
	other := batch.Size != len(terms)
	for _, job := range batch.Jobs {
		other = other || requested[job.JobID] != job.S3TempKey
	}
	if other {
		return batch, errOtherTerms
	}
	return batch, nil
}

// sign returns the presigned request for uploading the photo of a job.
func (a *Area) sign(ctx context.Context, job photojob.Job, digest string) (blob.Presigned, error) {
	return a.temp.PresignPut(ctx, job.S3TempKey, blob.Terms{
		Size: job.FileSize, ContentType: job.FileType, SHA256: digest, Expires: uploadExpires,
	})
}
