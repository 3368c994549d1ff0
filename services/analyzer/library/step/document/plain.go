package document

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

const (
	plainEngine = "plaintext 2"
	// plainMemory is the maximum memory for a text, which is read, compressed and uploaded in parts.
	plainMemory = 32 << 20
	// loaded is the size in bytes up to which a text is read at once. A larger one is read twice, first to detect its charset.
	loaded = 8 << 20
)

// PlainText returns the step that stores the text of a text file as UTF-8, in constant memory.
func PlainText() step.Step {
	return step.Step{Time: step.AttemptTime, Run: func(ctx context.Context, f *step.File) (step.Result, error) {
		release, err := f.Reserve(ctx, plainMemory)
		if err != nil {
			return step.Result{}, err
		}
		defer release()
		content := f.Text(ctx)
		if f.Size <= loaded {
			data, err := f.Load(ctx, loaded)
			if err != nil {
				return step.Result{}, err
			}
			content.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
		}
		var (
			outcome plaintext.Outcome
			all     bool
		)
		t, key, err := stream(ctx, f, func(to io.Writer) (err error) {
			outcome, err = content.ReadDetected(func(text io.Reader) (err error) {
				all, err = copyText(to, text, library.MaxText)
				return err
			})
			return err
		})
		if err != nil {
			return step.Result{}, err
		}
		cut := ""
		if !all {
			cut = fmt.Sprintf("only the first %d bytes of the text are stored", library.MaxText)
		}
		r := t.stored(plainEngine, key, cut, nil)
		maps.Copy(r.Metadata, step.Decoding(outcome))
		return r, nil
	}}
}

// copyText copies the characters of a text that end within its first most bytes. It reports whether these are all.
func copyText(to io.Writer, text io.Reader, most int64) (all bool, err error) {
	length := int64(0)
	source := bufio.NewReaderSize(&io.LimitedReader{R: text, N: most + 1}, 64<<10)
	for {
		part, err := source.Peek(source.Size())
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		over := length + int64(len(part)) - most
		part = part[:len(part)-int(max(over, 0))]
		part = part[:ended(part)]
		length += int64(len(part))
		if _, err := to.Write(part); err != nil {
			return false, err
		}
		if len(part) == 0 || over > 0 {
			return over <= 0, nil
		}
		if _, err := source.Discard(len(part)); err != nil {
			return false, err
		}
	}
}

// ended returns the number of bytes of the characters of a text that are complete.
func ended(text []byte) int {
	for end := len(text); end > 0 && len(text)-end < utf8.UTFMax; end-- {
		if r, size := utf8.DecodeLastRune(text[:end]); r != utf8.RuneError || size > 1 {
			return end
		}
	}
	return len(text)
}
