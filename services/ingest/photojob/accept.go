package photojob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/receive"
)

// errNoProvider means that no enabled provider can process the job.
var errNoProvider = errors.New("the provider is not enabled")

// problem converts the errors of photos that a client can resolve.
func problem(err error) error {
	if errors.Is(err, errNoProvider) {
		return web.NewProblem(http.StatusConflict, "provider-disabled", "The provider is not enabled on this server. Choose another, such as local.")
	}
	return err
}

func tooLarge() error {
	return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("A photo may have at most %d bytes.", photojob.MaxSize))
}

func empty() error {
	return web.NewProblem(http.StatusUnprocessableEntity, "file-empty", "The file is empty. A photo has at least one byte.")
}

// checked checks terms and returns them with defaults. field is the prefix of field names in errors.
func checked(t photojob.Terms, field string) (photojob.Terms, error) {
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
	case t.Size <= 0:
		return t, empty()
	case !slices.Contains(photojob.FileTypes(), t.ContentType):
		return t, web.NewProblem(http.StatusUnsupportedMediaType, "not-a-photo",
			"A photo is "+strings.Join(photojob.FileTypes(), ", ")+". Convert others before the upload.")
	case t.Size > photojob.MaxSize:
		return t, tooLarge()
	}
	return t, nil
}

// route returns the provider of a job: the one that the client specified, or the operators'
// default, or the local provider while the default is disabled or if only the local one fulfills the options. It returns errNoProvider if the
// specified provider is not offered.
func (a *Area) route(ctx context.Context, t photojob.Terms) (string, error) {
	if !t.Unasked {
		return t.Options.Provider, a.offered(ctx, t.Options.Provider, t.Prompt)
	}
	if t.Options.LocalOnly() {
		return photojob.Stub, nil
	}
	d, err := a.policies.Default(ctx)
	if err == nil {
		err = a.offered(ctx, d.Provider, t.Prompt)
	}
	if errors.Is(err, errNoProvider) {
		return photojob.Stub, nil
	}
	return d.Provider, err
}

// offered returns errNoProvider if neither the provider nor any of its fallbacks that can do the prompt is enabled. Jobs
// accepted earlier wait until one is enabled.
func (a *Area) offered(ctx context.Context, name, prompt string) error {
	if name == photojob.Stub {
		return nil
	}
	p, err := a.policies.Get(ctx, name)
	if err != nil || p.Settings.Enabled {
		return err
	}
	for _, other := range p.Settings.Fallback {
		if other == photojob.Stub {
			if grammar.Understands(prompt) {
				return nil
			}
			continue
		}
		next, err := a.policies.Get(ctx, other)
		if err != nil || next.Settings.Enabled {
			return err
		}
	}
	return errNoProvider
}

// create writes a QUEUED job. For a used idempotency key, it returns the job of the first call, even if its provider has
// since been disabled. refused is the reason why no new job is created, or nil.
func (a *Area) create(ctx context.Context, owner, key string, terms photojob.Terms, refused error) (photojob.Job, bool, error) {
	var route string
	return accept.Reserve(ctx, a.Shared, accept.Reservation[photojob.Job]{
		Owner: owner, Key: key, Find: a.store.Get,
		ID:      func(context.Context) (string, error) { return photojob.NewID(owner, key) },
		Counted: func(id string) []quota.Item { return []quota.Item{{Area: photojob.Name, ID: id, Bytes: terms.Size}} },
		Allow: func(ctx context.Context) (err error) {
			if refused != nil {
				return refused
			}
			route, err = a.route(ctx, terms)
			return err
		},
		Create: func(ctx context.Context, id string) (photojob.Job, error) {
			return a.store.Create(ctx, routed(terms.Job(id, owner), route).Traced(obs.TraceFrom(ctx)))
		},
		Same: terms.ReservedAs,
	})
}

// routed returns a new job with a provider. The upload key is derived from the client's request, so
// that a repeated call matches even if the default has changed.
func routed(job photojob.Job, provider string) photojob.Job {
	job.Provider, job.Options.Provider = provider, provider
	return job
}

// createBatch writes the QUEUED jobs of a batch, either all or none, like create.
func (a *Area) createBatch(ctx context.Context, owner, key string, terms []photojob.Terms) (photojob.Batch, error) {
	var routes []string
	var jobs []photojob.Job
	batch, _, err := accept.Reserve(ctx, a.Shared, accept.Reservation[photojob.Batch]{
		Owner: owner, Key: key, Find: a.store.Batch,
		ID: func(context.Context) (string, error) {
			id, err := photojob.NewID(owner, key)
			if err == nil {
				jobs, err = photojob.NewBatch(id, owner, terms)
			}
			return id, err
		},
		Allow: func(ctx context.Context) error {
			routes = make([]string, len(terms))
			for i, t := range terms { // which have the same options, but prompts of their own
				var err error
				if routes[i], err = a.route(ctx, t); err != nil {
					return err
				}
			}
			return nil
		},
		Counted: func(string) (counted []quota.Item) {
			for _, job := range jobs {
				counted = append(counted, quota.Item{Area: photojob.Name, ID: job.JobID, Bytes: job.FileSize})
			}
			return counted
		},
		Create: func(ctx context.Context, id string) (photojob.Batch, error) {
			for i, job := range jobs {
				jobs[i] = routed(job, routes[i]).Traced(obs.TraceFrom(ctx))
			}
			return a.store.CreateBatch(ctx, id, jobs)
		},
		Same: func(b photojob.Batch) bool {
			return b.Size == len(jobs) && !slices.ContainsFunc(b.Jobs, func(j photojob.Job) bool {
				i := slices.IndexFunc(jobs, func(requested photojob.Job) bool { return requested.JobID == j.JobID })
				return i < 0 || !terms[i].ReservedAs(j)
			})
		},
	})
	return batch, err
}

// sign returns the presigned request for uploading the photo of a job.
func (a *Area) sign(ctx context.Context, job photojob.Job, digest string) (blob.Presigned, error) {
	return a.Bucket.PresignPut(ctx, job.S3TempKey, blob.Terms{
		Size: job.FileSize, ContentType: job.FileType, SHA256: digest, Expires: uploadExpires,
	})
}
