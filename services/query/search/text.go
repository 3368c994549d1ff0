package search

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

const (
	// loads is the maximum number of texts read concurrently, and loadBatch of those written in one batch.
	loads     = 8
	loadBatch = 64
	// loadBytes limits a batch: no further text is read once the previous ones have this size, and those written together
	// have at most this size, unless it is a single text. Events are not applied in the meantime.
	loadBytes = 8 << 20
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
			if errors.Is(err, errBackend) {
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

// errBackend means that the tables or the bucket are unavailable.
var errBackend = errors.New("a backend is unavailable")

// loadSome indexes the texts of up to loadBatch files and returns their number.
func (f *follower) loadSome(ctx context.Context) (int, error) {
	pending, err := f.index.Pending(ctx, loadBatch)
	if err != nil || len(pending) == 0 {
		return 0, err
	}
	readings, err := f.o.Source.Texts(ctx, pending)
	if err != nil {
		return 0, errors.Join(errBackend, err)
	}
	texts := make([]Text, len(pending))
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(loads)
	var stated int64 // bytes of the texts, as far as they are known
	var read atomic.Int64
	begun := 0
	for i, r := range readings {
		if stated >= loadBytes || read.Load() >= loadBytes {
			break
		}
		begun++
		stated += r.Size
		reads.Go(func() error {
			text, err := r.Read(reading)
			read.Add(int64(len(text.Text)))
			text.Text = clean(text.Text[:min(len(text.Text), MaxText)])
			texts[i] = text
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return 0, errors.Join(errBackend, err)
	}
	for rest := texts[:begun]; len(rest) > 0; {
		n, size := 1, len(rest[0].Text)
		for n < len(rest) && size+len(rest[n].Text) <= loadBytes {
			size += len(rest[n].Text)
			n++
		}
		if err := f.setTexts(ctx, rest[:n]); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return begun, nil
}

func (f *follower) setTexts(ctx context.Context, texts []Text) error {
	f.write.Lock()
	defer f.write.Unlock()
	return f.index.SetTexts(ctx, texts)
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
