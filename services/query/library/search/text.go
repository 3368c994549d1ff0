package search

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/lookalike"
	"github.com/assay-project/assay/pkg/library"
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
	ids := make([]string, len(pending))
	for i, p := range pending {
		ids[i] = p.ID
	}
	files, err := f.o.Store.Files(ctx, ids)
	if err != nil {
		return 0, errors.Join(errBackend, err)
	}
	texts := make([]Text, len(pending))
	reads, reading := errgroup.WithContext(ctx)
	reads.SetLimit(loads)
	var stated float64 // bytes of the texts, as far as the metadata state it
	var read atomic.Int64
	begun := 0
	for i, p := range pending {
		if stated >= loadBytes || read.Load() >= loadBytes {
			break
		}
		begun++
		length, _ := files[p.ID].Metadata["textLength"].(float64)
		stated += length
		reads.Go(func() error {
			text, err := f.read(reading, p, files[p.ID])
			read.Add(int64(len(text.Text)))
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

// read reads what is indexed of a run of a file. The file may have started another run, or be absent.
func (f *follower) read(ctx context.Context, p Pending, file library.File) (Text, error) {
	t := Text{Pending: p}
	text, err := f.object(ctx, p, library.TextName)
	if err != nil {
		return t, err
	}
	t.Text = spelled(FormatOf(file.Name), text)
	if file.Run != p.Run {
		return t, nil
	}
	t.Properties = propertiesOf(file.Metadata)
	t.Cut, _ = file.Metadata["textCut"].(string)
	if text, is := file.Metadata[library.MetadataLookalike].(string); is {
		if hash, err := lookalike.Parse(text); err == nil { // otherwise the file is found like other files
			t.Picture = &hash
		}
	}
	if file.Metadata[library.MetadataNumbers] != nil {
		numbers, err := f.object(ctx, p, library.NumbersName)
		if err != nil {
			return t, err
		}
		t.Text += "\n" + numbers
	}
	t.Text = clean(t.Text[:min(len(t.Text), MaxText)])
	return t, nil
}

// object reads a compressed result of a run, up to MaxText bytes. It returns "" if there is none or if it is damaged.
func (f *follower) object(ctx context.Context, p Pending, name string) (string, error) {
	body, err := f.o.Bucket.Open(ctx, library.ResultKey(p.ID, p.Run, name), "")
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
		f.o.Log.Error().Err(err).Str("file", p.ID).Str("object", name).Msg("skipped a damaged text")
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
