// Package document contains the steps for documents: PDF, office documents, web pages and plain text.
package document

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/library/step"
	"github.com/assay-project/assay/services/analyzer/library/step/generic"
)

const (
	// maxBytes is the maximum size of a document.
	maxBytes = 100 << 20
	// maxText is the maximum size of the stored text of a document, in bytes.
	maxText = 8 << 20
)

// text stores the text of a file and returns the result of the step. If the text is empty, the result has the reason
// none, or reason.NoText if that is nil.
func text(ctx context.Context, f *step.File, engine, s, cut string, none error) (step.Result, error) {
	key, err := f.StoreText(ctx, library.TextName, s)
	return stored(engine, key, len(s), strings.TrimSpace(s) == "", cut, none), err
}

// stored returns the result of a step that has stored a text of length bytes under a key. The metadata entry
// textLength is in bytes, textCut states why the text is truncated, and noText why it is empty.
func stored(engine, key string, length int, empty bool, cut string, none error) step.Result {
	r := step.Result{Engine: engine, Key: key, Metadata: map[string]any{"textLength": length}}
	if cut != "" {
		r.Metadata["textCut"] = cut
	}
	if empty {
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
