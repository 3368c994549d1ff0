package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const (
	// bodyTries is the number of consecutive empty response bodies after which a read fails. The SDK retries
	// error responses.
	bodyTries = 4
	// drained is the number of bytes of an unneeded body that are read so that its connection can be reused.
	drained = 64 << 10
)

// Ranges reads an object of a known size and entity tag from any position.
type Ranges struct {
	Store     *Store
	Key, ETag string
	Size      int64 // bytes
}

// From streams the object from position at to its end. It first requests the bytes up to end, and
// then ranges of the same length as they are read. If a body ends early, it requests the rest.
// Read returns ErrNotFound or ErrChanged if the object has been removed or replaced. The caller
// closes the stream.
func (r Ranges) From(ctx context.Context, at, end int64) io.ReadCloser {
	return &rangeReader{Ranges: r, ctx: ctx, at: at, end: end, step: max(1, end-at)}
}

type rangeReader struct {
	Ranges
	ctx     context.Context // context of all requests
	at, end int64           // position of the next byte, and of the end of the body
	step    int64
	body    io.ReadCloser // nil before the first byte and after the last
	broken  int           // consecutive empty bodies
}

func (r *rangeReader) Read(b []byte) (int, error) {
	for {
		if r.at >= r.Size {
			return 0, io.EOF
		}
		if r.body == nil {
			if err := r.open(); err != nil {
				return 0, err
			}
		}
		n, err := r.body.Read(b[:min(int64(len(b)), r.end-r.at)])
		r.at += int64(n)
		if n > 0 {
			r.broken = 0
		}
		if err != nil || r.at == r.end {
			_ = r.Close() // the next bytes are in another body
		}
		if n > 0 || len(b) == 0 {
			return n, nil // the next Read returns the error
		}
		if err != nil {
			if r.broken++; r.broken == bodyTries || r.ctx.Err() != nil {
				return 0, fmt.Errorf("get %s: the body ends at byte %d of %d: %w", r.Key, r.at, r.Size, unexpected(err))
			}
		}
	}
}

// open requests the next range.
func (r *rangeReader) open() error {
	if r.at >= r.end {
		r.end = r.at + r.step
	}
	r.end = min(r.end, r.Size)
	in := &s3.GetObjectInput{
		Bucket: &r.Store.Bucket, Key: &r.Key, IfMatch: quote(r.ETag),
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", r.at, r.end-1)),
	}
	out, err := r.Store.client.GetObject(r.ctx, in)
	if err != nil {
		return translate("get", r.Key, err)
	}
	if want, got := fmt.Sprintf("bytes %d-%d/%d", r.at, r.end-1, r.Size), aws.ToString(out.ContentRange); !strings.EqualFold(got, want) {
		_ = out.Body.Close() // it is not the requested range
		return fmt.Errorf("get %s: requested %s, got %q", r.Key, want, got)
	}
	r.body = out.Body
	return nil
}

// Close closes the connection, unless little of the body remains.
func (r *rangeReader) Close() error {
	if r.body == nil {
		return nil
	}
	body := r.body
	r.body = nil
	if left := r.end - r.at; left <= drained {
		_, _ = io.CopyN(io.Discard, body, left+1) // this read also reaches the end of the body
	}
	return body.Close()
}

// unexpected converts io.EOF to io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
