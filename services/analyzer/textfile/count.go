package textfile

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/wordstats"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/textfile"
)

// counts counts the words of stored texts.
type counts struct {
	bucket *blob.Store
	cfg    Config
}

// analyze counts the words of the uploaded bytes. The error is permanent if it is caused by the
// bytes or if they are missing.
func (c counts) analyze(ctx context.Context, uploaded *event.FileUploaded) (textfile.Result, error) {
	statistics, outcome, err := c.count(ctx, uploaded)
	if err != nil {
		return textfile.Result{}, judged(err)
	}
	result := textfile.Result{
		TotalWords: statistics.TotalWords, UniqueWords: statistics.UniqueWords,
		AvgWordLength: statistics.AvgWordLength, Size: int64(uploaded.Size),
		Top10Words: make([]textfile.WordCount, len(statistics.Top10Words)),
		Charset:    outcome.Name, CharsetSource: string(outcome.How), IgnoredCharset: outcome.Ignored, Replaced: outcome.Replaced,
	}
	for i, top := range statistics.Top10Words {
		result.Top10Words[i] = textfile.WordCount{Word: top.Word, Count: top.Count}
	}
	return result, nil
}

// count counts the words, with several readers if the text is large and UTF-8, and says how the text was decoded.
func (c counts) count(ctx context.Context, uploaded *event.FileUploaded) (statistics wordstats.Statistics, outcome plaintext.Outcome, err error) {
	text := plaintext.Text{ContentType: uploaded.ContentType, Open: func() (io.ReadCloser, error) {
		return c.bucket.Open(ctx, uploaded.Key, uploaded.Etag)
	}}
	ahead := func(r io.Reader) (err error) {
		statistics, err = c.cfg.limits().CountAhead(r)
		return err
	}
	readers := c.cfg.readers(int64(uploaded.Size))
	if readers <= 1 {
		outcome, err = text.Read(ahead)
		return statistics, outcome, err
	}
	statistics, outcome.Charset, err = c.countParts(ctx, uploaded, readers)
	if errors.Is(err, plaintext.ErrContradicted) {
		outcome, err = text.ReadDetected(ahead)
	}
	return statistics, outcome, err
}

// countParts counts a UTF-8 text with several readers. For other texts it returns plaintext.ErrContradicted.
func (c counts) countParts(ctx context.Context, uploaded *event.FileUploaded, readers int) (wordstats.Statistics, plaintext.Charset, error) {
	object := blob.Ranges{Store: c.bucket, Key: uploaded.Key, ETag: uploaded.Etag, Size: int64(uploaded.Size)}
	head := make([]byte, plaintext.HeadSize)
	body := object.From(ctx, 0, plaintext.HeadSize)
	defer body.Close()
	if _, err := io.ReadFull(body, head); err != nil {
		return wordstats.Statistics{}, plaintext.Charset{}, fmt.Errorf("reading the head of the text: %w", err)
	}
	parts, err := plaintext.NewParts(head, uploaded.ContentType)
	if err != nil {
		return wordstats.Statistics{}, plaintext.Charset{}, err
	}
	mark, limits := int64(parts.Mark()), c.cfg.limits()
	limits.Strict = true
	statistics, err := limits.CountParts(ctx, wordstats.Parts{
		Size: object.Size - mark, PartSize: c.cfg.RangeSize, Readers: readers,
		From: func(ctx context.Context, at, end int64) io.ReadCloser {
			return parts.Part(object.From(ctx, mark+at, mark+end))
		},
	})
	_, vocabulary := errors.AsType[*wordstats.VocabularyError](err)
	if errors.Is(err, wordstats.ErrNotUTF8) || vocabulary && parts.How != plaintext.Marked { // the limit may have been reached with the wrong charset
		err = plaintext.ErrContradicted
	}
	return statistics, parts.Charset, err
}

// judged makes errors that a retry cannot resolve permanent.
func judged(err error) error {
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		err = reason.UploadGone
	}
	if reason.Permanent(err) {
		return bus.Permanent(err)
	}
	return err
}
