package embedded

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/versity/versitygw/s3api/middlewares"
	"github.com/versity/versitygw/s3err"
	"github.com/versity/versitygw/s3response"
)

// completeBody returns IncompleteBody if the body ends before its declared length or the connection
// fails. The gateway's own readers treat the end of a broken connection as the end of the body, and
// store the bytes received until then.
type completeBody struct {
	io.Reader
	left int64
}

func (b *completeBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.left -= int64(n)
	_, broken := errors.AsType[net.Error](err)
	if broken || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) && b.left > 0 {
		err = s3err.GetAPIError(s3err.ErrIncompleteBody)
	}
	return n, err
}

// completeChunks is a completeBody with a trailing checksum.
type completeChunks struct {
	completeBody
	middlewares.ChecksumReader
}

func (c *completeChunks) Read(p []byte) (int, error) { return c.completeBody.Read(p) }

// complete makes body fail if it ends before length bytes have been read.
func complete(body io.Reader, length *int64) io.Reader {
	if body == nil || length == nil {
		return body
	}
	whole := completeBody{Reader: body, left: *length}
	// The gateway reads the trailing checksum from the body.
	if chunks, ok := body.(middlewares.ChecksumReader); ok {
		return &completeChunks{completeBody: whole, ChecksumReader: chunks}
	}
	return &whole
}

// drainBytes is the maximum size of the rest of a rejected body that is read and discarded. The gateway
// closes the connection if it has not read the body, which resets it, and a client that is still
// sending then does not receive the response. Assay sends larger bodies in parts.
const drainBytes = 8 << 20

// PutObject serves PUT and form POST.
func (d *durableStore) PutObject(ctx context.Context, in s3response.PutObjectInput) (s3response.PutObjectOutput, error) {
	in.Body = complete(in.Body, in.ContentLength)
	defer d.retention.change(*in.Bucket, *in.Key)()
	out, err := d.Posix.PutObject(ctx, in)
	if err != nil {
		if in.Body != nil {
			_, _ = io.CopyN(io.Discard, in.Body, drainBytes) // the request fails in any case
		}
		return out, err
	}
	return out, d.finish(ctx, *in.Bucket, *in.Key, out.ETag)
}
