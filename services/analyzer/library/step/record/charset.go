package record

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/extract/charset"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/services/analyzer/library/step"
)

// decoded returns the format of the records of a file in their charset, and how the charset was found. The charset has no
// name if nothing is decoded: in UTF-8, in binary data, and if the values of the format declare their charsets.
func decoded(ctx context.Context, f *step.File, kind records.Format) (records.Format, plaintext.Charset, error) {
	if kind.Declares {
		return kind, plaintext.Charset{}, nil
	}
	c, err := f.Text(ctx).Detect()
	var binary *plaintext.NotTextError
	if errors.As(err, &binary) || err == nil && c.Name == charset.UTF8.Name {
		return kind, plaintext.Charset{}, nil
	}
	return in(kind, c.Name), c, err
}

// in returns a format in the charset with a name, which may be empty.
func in(kind records.Format, name string) records.Format {
	if c, known := charset.Lookup(name); known {
		return kind.In(c)
	}
	return kind
}
