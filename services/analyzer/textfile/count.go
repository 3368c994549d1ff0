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
	statistics, err := c.count(ctx, uploaded)
	if err != nil {
		return textfile.Result{}, judged(err)
	}
	result := textfile.Result{
		TotalWords: statistics.TotalWords, UniqueWords: statistics.UniqueWords,
		AvgWordLength: statistics.AvgWordLength,
		Top10Words:    make([]textfile.WordCount, len(statistics.Top10Words)),
	}
	for i, top := range statistics.Top10Words {
		result.Top10Words[i] = textfile.WordCount{Word: top.Word, Count: top.Count}
	}
	return result, nil
}

// count counts the words, with several readers if the text is large. It starts again with the next
// rule each time the bytes contradict the selected charset.
func (c counts) count(ctx context.Context, uploaded *event.FileUploaded) (statistics wordstats.Statistics, err error) {
	if readers := c.cfg.readers(int64(uploaded.Size)); readers > 1 {
		statistics, err = c.countParts(ctx, uploaded, readers)
	} else {
		statistics, err = c.countBy(ctx, uploaded, plaintext.Declared)
	}
	for {
		restart, ok := errors.AsType[*plaintext.RestartError](err)
		if !ok {
			return statistics, err
		}
		statistics, err = c.countBy(ctx, uploaded, restart.Next)
	}
}

// countBy detects the charset, starting with a rule, and counts the words while it reads ahead.
func (c counts) countBy(ctx context.Context, uploaded *event.FileUploaded, rule plaintext.Rule) (wordstats.Statistics, error) {
	body, err := c.bucket.Open(ctx, uploaded.Key, uploaded.Etag)
	if err != nil {
		return wordstats.Statistics{}, err
	}
	defer body.Close()
	text, err := rule.NewReader(body, uploaded.ContentType)
	if err != nil {
		return wordstats.Statistics{}, err
	}
	defer text.Free()
	return c.cfg.limits().CountAhead(text)
}

// countParts counts a UTF-8 text with several readers. For other texts it returns a
// *plaintext.RestartError.
func (c counts) countParts(ctx context.Context, uploaded *event.FileUploaded, readers int) (wordstats.Statistics, error) {
	object := blob.Ranges{Store: c.bucket, Key: uploaded.Key, ETag: uploaded.Etag, Size: int64(uploaded.Size)}
	head := make([]byte, plaintext.HeadSize)
	body := object.From(ctx, 0, plaintext.HeadSize)
	defer body.Close()
	if _, err := io.ReadFull(body, head); err != nil {
		return wordstats.Statistics{}, fmt.Errorf("reading the head of the text: %w", err)
	}
	parts, err := plaintext.NewParts(head, uploaded.ContentType)
	if err != nil {
		return wordstats.Statistics{}, err
	}
	mark, limits := int64(parts.Mark), c.cfg.limits()
	limits.Strict = parts.Strict
	statistics, err := limits.CountParts(ctx, wordstats.Parts{
		Size: object.Size - mark, PartSize: c.cfg.RangeSize, Readers: readers,
		From: func(ctx context.Context, at, end int64) io.ReadCloser {
			return parts.Part(object.From(ctx, mark+at, mark+end))
		},
	})
	_, vocabulary := errors.AsType[*wordstats.VocabularyError](err)
	switch {
	case errors.Is(err, wordstats.ErrNotUTF8):
		err = &plaintext.RestartError{Next: plaintext.Windows1252}
	case vocabulary && parts.Strict:
		err = &plaintext.RestartError{Next: plaintext.Declared} // the limit may have been reached with the wrong charset: count again with one reader
	}
	return statistics, err
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
