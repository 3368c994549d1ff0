package step

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
)

// StoreText stores a text as a compressed result, such as library.TextName, and returns its key.
func (f *File) StoreText(ctx context.Context, name, s string) (key string, err error) {
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
	return f.Store(ctx, name, "application/gzip", b.Bytes())
}
