package photojob

import (
	"errors"
	"testing"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/withdrawn"
)

// TestDefaultProvider checks that a job without a provider gets the operators' default, or the
// local provider while the default is disabled, and that creating it again after the default has
// changed returns the same job.
func TestDefaultProvider(t *testing.T) {
	db, _ := tabletest.Start(t)
	names, settings := photojob.Config{Env: "dev"}, platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, append(photojob.Tables(names), platform.Storage(settings).Tables...)); err != nil {
		t.Fatal(err)
	}
	documents := platform.NewStore(db, settings)
	a := &Area{
		store: photojob.NewStore(db, names), policies: policy.NewStore(documents),
		Items: &accept.Items[photojob.Job]{Shared: accept.Shared{
			Quotas: quota.New(quota.Config{}, settings, db, zerolog.Nop()), Withdrawn: withdrawn.New(documents),
		}},
	}
	create := func(key, asked string) (photojob.Job, error) {
		t.Helper()
		terms, err := checked(photojob.Terms{FileName: "a.jpg", ContentType: "image/jpeg", Size: 7, Options: photojob.Options{Provider: asked}}, "body.")
		if err != nil {
			t.Fatal(err)
		}
		job, _, err := a.create(t.Context(), "ann", key, terms, nil)
		return job, err
	}
	want := func(key, asked, provider string) photojob.Job {
		t.Helper()
		job, err := create(key, asked)
		if err != nil || job.Provider != provider || job.Route() != provider {
			t.Errorf("job %q with provider %q: got provider %s, route %s, error %v, want %s", key, asked, job.Provider, job.Route(), err, provider)
		}
		return job
	}
	change := func(provider string, enabled bool) {
		t.Helper()
		s := policy.Defaults(photojob.Gemini)
		s.Enabled = enabled
		_, err := a.policies.Put(t.Context(), photojob.Gemini, s, platform.Match{Any: true})
		if err == nil {
			_, err = a.policies.PutDefault(t.Context(), provider, platform.Match{Any: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	want("before", "", photojob.Stub)
	change(photojob.Gemini, true)
	first := want("first", "", photojob.Gemini)
	want("local", photojob.Stub, photojob.Stub)
	change(photojob.Gemini, false)
	if again := want("first", "", photojob.Gemini); again.JobID != first.JobID {
		t.Errorf("created again: got job %s, want %s", again.JobID, first.JobID)
	}
	want("disabled", "", photojob.Stub)
	if _, err := create("asked", photojob.Gemini); !errors.Is(err, errNoProvider) {
		t.Errorf("with a disabled provider: got %v, want errNoProvider", err)
	}
	if _, err := create("first", photojob.Gemini); !errors.Is(err, accept.ErrOtherRequest) {
		t.Errorf("with other terms: got %v, want accept.ErrOtherRequest", err)
	}
	batch := func() (photojob.Batch, error) {
		terms := photojob.Terms{FileName: "a.jpg", ContentType: "image/jpeg", Size: 7, Options: photojob.Options{Provider: photojob.Gemini}}
		return a.createBatch(t.Context(), "ann", "batch", []photojob.Terms{terms, terms})
	}
	if _, err := batch(); !errors.Is(err, errNoProvider) {
		t.Errorf("a batch with a disabled provider: got %v, want errNoProvider", err)
	}
	change(photojob.Stub, true)
	created, err := batch()
	if err != nil {
		t.Fatal(err)
	}
	change(photojob.Stub, false)
	if again, err := batch(); err != nil || again.BatchID != created.BatchID {
		t.Errorf("a batch that was created before: got %+v, error %v, want batch %s", again, err, created.BatchID)
	}
}

// TestFallbackOfDisabledProvider checks that a job of a disabled provider is created only if an enabled fallback can do
// its prompt.
func TestFallbackOfDisabledProvider(t *testing.T) {
	db, _ := tabletest.Start(t)
	settings := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(settings).Tables); err != nil {
		t.Fatal(err)
	}
	a := &Area{policies: policy.NewStore(platform.NewStore(db, settings))}
	s := policy.Defaults(photojob.Gemini)
	s.Fallback = []string{photojob.Stub}
	if _, err := a.policies.Put(t.Context(), photojob.Gemini, s, platform.Match{Any: true}); err != nil {
		t.Fatal(err)
	}
	for prompt, offered := range map[string]bool{"": true, "sepia": true, "make it pop": false, "sepia, make it pop": false} {
		if err := a.offered(t.Context(), photojob.Gemini, prompt); (err == nil) != offered || err != nil && !errors.Is(err, errNoProvider) {
			t.Errorf("prompt %q: got error %v, want the provider offered: %t", prompt, err, offered)
		}
	}
}
