package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// Document is a small object that is read whole. A writer that saw its last content
// can replace it.
type Document struct {
	Body []byte
	ETag string // without quotes
}

// maxDocument bounds what Load holds in memory. The largest document is a feed
// submission whose 256 KiB of metadata are all escaped, in 1.6 MB of JSON.
const maxDocument = 2 << 20

// Load reads a document of at most 2 MiB. It returns ErrNotFound.
func (s *Store) Load(ctx context.Context, key string) (Document, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.Bucket, Key: &key})
	if err != nil {
		return Document{}, translate("get", key, err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, maxDocument+1))
	if err == nil && len(body) > maxDocument {
		err = fmt.Errorf("it is larger than %d bytes", maxDocument)
	}
	if err != nil {
		return Document{}, fmt.Errorf("get %s: %w", key, err)
	}
	return Document{body, unquote(out.ETag)}, nil
}

// Swap writes a document if the bucket has the one with this entity tag, or none
// for an empty tag, and returns the new tag: of writers that saw the same, one
// wins. The others get ErrChanged. It returns ErrNotFound for a tag of what was
// deleted.
//
// When an answer is lost, the SDK asks again and then sees its own write as
// another's: who gets ErrChanged must read and look.
func (s *Store) Swap(ctx context.Context, key, etag string, body []byte) (string, error) {
	in := &s3.PutObjectInput{
		Bucket: &s.Bucket, Key: &key, Body: bytes.NewReader(body), ContentType: aws.String("application/json"),
		ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	}
	if etag == "" {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = quote(etag)
	}
	out, err := s.client.PutObject(ctx, in)
	// AWS may answer 409 when two conditional writes run at once.
	if api, ok := errors.AsType[smithy.APIError](err); ok && api.ErrorCode() == "ConditionalRequestConflict" {
		return "", fmt.Errorf("swap %s: %w", key, ErrChanged)
	}
	if err != nil {
		return "", translate("swap", key, err)
	}
	return unquote(out.ETag), nil
}
