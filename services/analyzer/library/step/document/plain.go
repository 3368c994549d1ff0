package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
	// maxPlain is the maximum size of the stored text of a text file, in bytes.
	maxPlain = 100 << 20
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
			read    plain
			failed  error
		)
		key, err := f.Stream(ctx, library.TextName, "application/gzip", func(w io.Writer) error {
			outcome, failed = content.ReadDetected(func(text io.Reader) error {
				read = plain{}
				return read.copy(w, text, maxPlain)
			})
			return failed
		})
		if binary := (*plaintext.NotTextError)(nil); errors.As(failed, &binary) {
			return step.Result{}, failed
		}
		if err != nil {
			return step.Result{}, err
		}
		cut := ""
		if read.cut {
			cut = fmt.Sprintf("only the first %d bytes of the text are stored", maxPlain)
		}
		r := stored(plainEngine, key, read.length, !read.marked, cut, nil)
		maps.Copy(r.Metadata, step.Decoding(outcome))
		return r, nil
	}}
}

// plain describes a text that was copied.
type plain struct {
	length int  // in bytes
	cut    bool // there was more
	marked bool // a character is not white space
}

// copy compresses the characters of a text that end within its first most bytes.
func (p *plain) copy(to io.Writer, text io.Reader, most int64) error {
	packed, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	source := bufio.NewReaderSize(&io.LimitedReader{R: text, N: most + 1}, 64<<10)
	for {
		part, err := source.Peek(source.Size())
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if over := int64(p.length+len(part)) - most; over > 0 {
			part, p.cut = part[:len(part)-int(over)], true
		}
		part = part[:ended(part)]
		p.length += len(part)
		p.marked = p.marked || len(bytes.TrimSpace(part)) > 0
		if _, err := packed.Write(part); err != nil {
			return err
		}
		if len(part) == 0 || p.cut {
			return packed.Close()
		}
		if _, err := source.Discard(len(part)); err != nil {
			return err
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
