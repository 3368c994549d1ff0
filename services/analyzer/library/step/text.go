package step

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

// Text returns the text of the file, which is read in ranges.
func (f *File) Text(ctx context.Context) plaintext.Text {
	return plaintext.Text{ContentType: f.ContentType, Open: func() (io.ReadCloser, error) { return f.Open(ctx), nil }}
}

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

// StreamText is like StoreText, but stores the text that write produces, in constant memory.
func (f *File) StreamText(ctx context.Context, name string, write func(io.Writer) error) (key string, err error) {
	return f.Stream(ctx, name, "application/gzip", func(to io.Writer) error {
		w, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
		if err == nil {
			err = write(w)
		}
		if err != nil {
			return err
		}
		return w.Close()
	})
}

// Decoding returns the metadata that say how a text was decoded.
func Decoding(o plaintext.Outcome) map[string]any {
	found := map[string]any{"charset": o.Name, "charsetSource": string(o.How)}
	if o.Ignored != "" {
		found["ignoredCharset"] = o.Ignored
	}
	if o.Replaced > 0 {
		found["replaced"] = o.Replaced
	}
	return found
}
