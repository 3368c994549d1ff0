package search

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
)

const (
	// loads is the maximum number of texts read concurrently, and loadBatch of those written in one batch.
	loads     = 8
	loadBatch = 64
)

func (s *Searcher) wakeLoader() {
	select {
	case s.texts <- struct{}{}:
	default:
	}
}

// load indexes the texts of files when their processing finishes, until ctx is done. It returns errors of the index.
func (f *follower) load(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.texts:
		}
		for {
			loaded, err := f.loadSome(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, errBucket) {
				f.o.Log.Warn().Err(err).Msg("cannot read texts for the search index; retrying")
				f.metrics.failures.Inc()
				select {
				case <-ctx.Done():
					return nil
				case <-time.After(retryPause):
				}
				continue
			}
			if err != nil {
				return err
			}
			if loaded == 0 {
				break
			}
			f.notify()
		}
		f.progress(false, true)
	}
}

var errBucket = errors.New("the bucket is unavailable")

// loadSome indexes the texts of up to loadBatch files and returns their number.
func (f *follower) loadSome(ctx context.Context) (int, error) {
	pending, err := f.index.Pending(ctx, loadBatch)
	if err != nil || len(pending) == 0 {
		return 0, err
	}
	texts := make([]Text, len(pending))
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(loads)
	for i, p := range pending {
		reads.Go(func() error {
			text, err := f.text(reading, p)
			texts[i] = Text{p, text}
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return 0, errors.Join(errBucket, err)
	}
	f.write.Lock()
	defer f.write.Unlock()
	return len(texts), f.index.SetTexts(ctx, texts)
}

// text reads the beginning of the text of a file. It returns "" if there is none or if it is damaged.
func (f *follower) text(ctx context.Context, p Pending) (string, error) {
	body, err := f.o.Bucket.Open(ctx, library.ResultKey(p.ID, p.Run, library.TextName), "")
	if errors.Is(err, blob.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer body.Close()
	var text strings.Builder
	unpacked, err := gzip.NewReader(body)
	if err == nil {
		_, err = io.Copy(&text, io.LimitReader(unpacked, MaxText))
	}
	switch {
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.EOF):
		f.o.Log.Error().Err(err).Str("file", p.ID).Msg("skipped a damaged text")
		return "", nil
	case err != nil:
		return "", err
	}
	return clean(text.String()), nil
}

// clean makes truncated text valid UTF-8.
func clean(text string) string {
	for end := len(text); end > 0 && len(text)-end < utf8.UTFMax; end-- {
		if utf8.ValidString(text[:end]) {
			return text[:end]
		}
	}
	return strings.ToValidUTF8(text, " ")
}
