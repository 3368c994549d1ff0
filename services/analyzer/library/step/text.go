package step

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"github.com/assay-project/assay/pkg/library"
)

// StoreText stores the text of a file, and returns its key.
func (f *File) StoreText(ctx context.Context, s string) (key string, err error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(w, s); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return f.Store(ctx, library.TextName, "application/gzip", b.Bytes())
}
