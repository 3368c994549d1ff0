package blob

import (
	"context"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Document is a small object that is read completely.
type Document struct {
	Body []byte
	ETag string // without quotes
}

// maxDocument limits the memory of Load. The largest document is a feed submission: its 256 KiB of
// metadata take 1.6 MB of JSON if every character is escaped.
const maxDocument = 2 << 20

// Load reads a document of at most 2 MiB. It returns ErrNotFound if the object does not exist.
func (s *Store) Load(ctx context.Context, key string) (Document, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.Bucket, Key: &key})
	if err != nil {
		return Document{}, translate("get", key, err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(io.LimitReader(out.Body, maxDocument+1))
	if err == nil && len(body) > maxDocument {
		err = fmt.Errorf("larger than %d bytes", maxDocument)
	}
	if err != nil {
		return Document{}, fmt.Errorf("get %s: %w", key, err)
	}
	return Document{body, unquote(out.ETag)}, nil
}
