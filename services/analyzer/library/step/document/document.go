// Package document contains the steps for documents: PDF, office documents, web pages and plain text.
package document

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"time"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
)

// maxBytes is the maximum size of a document.
const maxBytes = 100 << 20

// text describes a text that is written to it.
type text struct {
	to     io.Writer
	length int  // in bytes
	marked bool // a character is not white space
}

func (t *text) Write(part []byte) (int, error) {
	t.length += len(part)
	t.marked = t.marked || len(bytes.TrimSpace(part)) > 0
	return t.to.Write(part)
}

// stream stores the text that write produces, in constant memory, and describes it. It may call write again.
func stream(ctx context.Context, f *step.File, write func(io.Writer) error) (t text, key string, err error) {
	key, err = f.StreamText(ctx, library.TextName, func(to io.Writer) error {
		t = text{to: to}
		return write(&t)
	})
	return t, key, err
}

// stored returns the result of a step that has stored a text under a key. The metadata entry textLength is in bytes, textCut states
// why the text is truncated, and noText why it is empty: the reason none, or reason.NoText if that is nil.
func (t text) stored(engine, key, cut string, none error) step.Result {
	r := step.Result{Engine: engine, Key: key, Metadata: map[string]any{"textLength": t.length}}
	if cut != "" {
		r.Metadata["textCut"] = cut
	}
	if !t.marked {
		r.Skipped = cmp.Or[error](none, reason.NoText)
		r.Metadata["noText"] = reason.Of(r.Skipped)
	}
	return r
}

// metadata returns a step that sets the metadata of generic.Metadata and the metadata that add finds in a document of
// at most maxBytes. If add fails, only the metadata of generic.Metadata is set.
func metadata(engine string, add func(ctx context.Context, data []byte, found map[string]any) error) step.Step {
	s := generic.Metadata()
	s.Time = step.AttemptTime
	s.Run = func(ctx context.Context, f *step.File) (step.Result, error) {
		data := &limited{over: f.Size > maxBytes}
		if !data.over {
			release, err := f.Reserve(ctx, office.Memory(f.Size))
			if err != nil {
				return step.Result{}, err
			}
			defer release()
			data.Grow(int(f.Size) + bytes.MinRead)
		}
		found, err := generic.Read(ctx, f, data)
		if err != nil {
			return step.Result{}, err
		}
		if !data.over {
			err = add(ctx, data.Bytes(), found)
		}
		if err != nil && !reason.Permanent(err) {
			return step.Result{}, err
		}
		return step.Result{Engine: engine, Metadata: found}, nil
	}
	return s
}

// limited retains the bytes written to it. If there are more than maxBytes, it discards all and sets over.
type limited struct {
	bytes.Buffer
	over bool
}

func (l *limited) Write(b []byte) (int, error) {
	if l.over = l.over || l.Len()+len(b) > maxBytes; l.over {
		l.Reset()
		return len(b), nil
	}
	return l.Buffer.Write(b)
}

// put sets a value unless it is zero.
func put[T comparable](found map[string]any, name string, value T) {
	var zero T
	if value == zero {
		return
	}
	if t, isTime := any(value).(time.Time); isTime {
		found[name] = t.Format(time.RFC3339)
		return
	}
	found[name] = value
}
