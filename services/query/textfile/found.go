package textfile

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/find"
	"github.com/assay-project/assay/services/query/search"
)

// source is the area as a source of its search index: the files that ended, and the texts of those that are COMPLETED.
type source struct {
	store  *textfile.Store
	bucket *blob.Store
	log    zerolog.Logger
}

var (
	_ search.Source = (*source)(nil)
	_ find.Area     = (*Area)(nil)
)

// Stream returns the stream of outcomes.
func (s *source) Stream() string { return bus.StreamOutcomes }

// Limits returns no limits: the index keeps all files.
func (s *source) Limits() search.Limits { return search.Limits{} }

// Items iterates over the files in a final state.
func (s *source) Items(ctx context.Context) iter.Seq2[search.Item, error] {
	return search.Scan(func(cursor string) ([]textfile.File, string, error) {
		page, err := s.store.Scan(ctx, cursor, textfile.ScanLimit)
		for _, broken := range page.Broken {
			s.log.Error().Err(broken.Err).Str("key", broken.Key).Msg("skipped a file that cannot be read")
		}
		return page.Files, page.Next, err
	}, func(f textfile.File) (search.Item, bool) { return indexed(f), f.Final() })
}

// indexed returns a file in a final state for the index.
func indexed(f textfile.File) search.Item {
	i := search.Ended{ID: f.FileID, Owner: f.OwnerID, Name: f.FileName, At: f.Updated(), Failed: f.Status == textfile.Failed}.Item(search.KindFile)
	i.Status = string(f.Status)
	return i
}

// Decode returns the file of an outcome.
func (s *source) Decode(d bus.Delivery) (search.Item, bool, error) {
	e, ok, err := search.ReadEnded(d, textfile.Name)
	if !ok || err != nil {
		return search.Item{}, false, err
	}
	i := e.Item(search.KindFile)
	if i.Status = string(textfile.Completed); e.Failed {
		i.Status = string(textfile.Failed)
	}
	return i, true, nil
}

// Texts returns how to read texts. Files that failed have none.
func (s *source) Texts(ctx context.Context, runs []search.Pending) ([]search.Reading, error) {
	return search.Readings(ctx, runs, s.store.Heads, func(run search.Pending, f textfile.File) search.Reading {
		if f.Status != textfile.Completed {
			return search.Reading{Read: func(context.Context) (search.Text, error) { return search.Text{Pending: run}, nil }}
		}
		size := f.Size()
		if size < 0 { // unknown
			size = search.MaxText
		}
		return search.Reading{Size: size, Read: func(ctx context.Context) (search.Text, error) { return s.read(ctx, run) }}
	})
}

// cut is why a text is not completely indexed.
const cut = "Only the first 100 MiB of the text are searched."

// read reads the text of a file, in the charset that the analyzer found. A file that was deleted since, or whose bytes cannot be
// decoded, has none.
func (s *source) read(ctx context.Context, run search.Pending) (search.Text, error) {
	t := search.Text{Pending: run}
	f, err := s.store.Get(ctx, run.ID)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && f.Result == nil {
		return t, nil
	}
	if err != nil {
		return t, err
	}
	var text strings.Builder
	content := plaintext.Text{
		ContentType: "text/plain; charset=" + f.Result.Charset,
		Open:        func() (io.ReadCloser, error) { return s.bucket.Open(ctx, f.S3Key, "") },
	}
	_, err = content.Read(func(r io.Reader) error {
		text.Reset()
		_, err := io.Copy(&text, io.LimitReader(r, search.MaxText+1))
		return err
	})
	var notText *plaintext.NotTextError
	switch {
	case errors.Is(err, blob.ErrNotFound), errors.As(err, &notText):
		return t, nil
	case err != nil:
		return t, err
	}
	if t.Text = text.String(); len(t.Text) > search.MaxText {
		t.Cut = cut
	}
	t.Text = search.Spelled(terms.FormatOf(f.FileName), t.Text)
	return t, nil
}

// Find returns the caller's files that match.
func (a *Area) Find(ctx context.Context, q search.Query, c web.Caller) (find.Page, error) {
	return find.Read(ctx, a.searcher, q, c.Owner, a.store.Heads, func(f textfile.File) (find.Hit, bool, error) {
		return find.Hit{Name: f.FileName, URL: "/v1/files/" + f.FileID, Status: string(f.Status), Created: f.Created()}, f.OwnerID == c.Owner, nil
	})
}

// Indexed waits until the search index has a file.
func (a *Area) Indexed(ctx context.Context, id string, c web.Caller) error {
	f, err := a.visible(c)(ctx, id)
	if errors.Is(err, lifecycle.ErrNotFound) || err == nil && !f.Final() {
		return nil
	}
	if err != nil {
		return err
	}
	return a.searcher.Await(ctx, search.Version{ID: f.FileID, Version: f.UpdatedAt})
}
