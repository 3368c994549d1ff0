package photojob

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/search"
)

// source is the area as a source of its search index: the jobs that ended, with their prompts, descriptions and labels.
type source struct {
	store *photojob.Store
	log   zerolog.Logger
}

var (
	_ search.Source = (*source)(nil)
	_ find.Area     = (*Area)(nil)
)

// Stream returns the stream of outcomes.
func (s *source) Stream() string { return bus.StreamOutcomes }

// Limits returns no limits: the table removes jobs.
func (s *source) Limits() search.Limits { return search.Limits{} }

// Items iterates over the jobs in a final state.
func (s *source) Items(ctx context.Context) iter.Seq2[search.Item, error] {
	return search.Scan(func(cursor string) ([]photojob.Job, string, error) {
		page, err := s.store.Scan(ctx, cursor, photojob.ScanLimit)
		for _, broken := range page.Broken {
			s.log.Error().Err(broken.Err).Str("job", broken.JobID).Msg("skipped a job that cannot be read")
		}
		return page.Jobs, page.Next, err
	}, func(j photojob.Job) (search.Item, bool) {
		i := search.Ended{ID: j.JobID, Owner: j.UserID, Name: j.OriginalFileName, At: j.Updated()}.Item(search.KindFile)
		i.Status = string(j.Status)
		return i, j.Final()
	})
}

// Decode returns the job of an outcome. Batches are not indexed.
func (s *source) Decode(d bus.Delivery) (search.Item, bool, error) {
	e, ok, err := search.ReadEnded(d, photojob.Name)
	if !ok || err != nil || e.Completed.GetPhotoBatch() != nil {
		return search.Item{}, false, err
	}
	i := e.Item(search.KindFile)
	if i.Status = string(photojob.Completed); e.Failed {
		i.Status = string(photojob.Failed)
	}
	return i, true, nil
}

// Texts returns the prompts, descriptions and labels of jobs.
func (s *source) Texts(ctx context.Context, runs []search.Pending) ([]search.Reading, error) {
	return search.Readings(ctx, runs, s.store.Jobs, func(run search.Pending, j photojob.Job) search.Reading {
		return search.Reading{Read: func(context.Context) (search.Text, error) { return textOf(run, j), nil }}
	})
}

// textOf returns what is indexed of a job besides its name. A job that was removed has nothing.
func textOf(run search.Pending, j photojob.Job) search.Text {
	t := search.Text{Pending: run}
	parts := []string{j.Prompt}
	if r := j.AnalysisResult; r != nil {
		parts = append(parts, r.Description)
		for _, label := range r.Labels {
			t.Properties = append(t.Properties, search.Property{Field: "keywords", Value: label.Name})
		}
	}
	t.Text = strings.TrimSpace(strings.Join(parts, "\n"))
	return t
}

// Find returns the caller's jobs that match.
func (a *Area) Find(ctx context.Context, q search.Query, c web.Caller) (find.Page, error) {
	return find.Read(ctx, a.searcher, q, c.Owner, a.store.Jobs, func(j photojob.Job) (find.Hit, bool, error) {
		return find.Hit{Name: j.OriginalFileName, URL: "/v1/photos/" + j.JobID, Status: string(j.Status), Created: j.Created()}, j.UserID == c.Owner, nil
	})
}

// Indexed waits until the search index has a job.
func (a *Area) Indexed(ctx context.Context, id string, c web.Caller) error {
	j, err := a.owned(c)(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && !j.Final() {
		return nil
	}
	if err != nil {
		return err
	}
	return a.searcher.Await(ctx, search.Version{ID: j.JobID, Version: j.UpdatedAt})
}
