package accept

import (
	"context"
	"errors"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/upload"
)

// Stored is content that another item has. A new item gets a copy that is made within the server. It is Content.
type Stored struct {
	Name        string // of the other item
	ContentType string // of the object, with the charset that the other item states, if any
	Size        int64  // bytes
	Bucket      *blob.Store
	Key, ETag   string
	// Err is the problem because of which the content cannot be read. It is nil if it can; the other fields are zero otherwise.
	Err error
	// Gone is the problem if the content is deleted before it is copied.
	Gone error
}

// Head reads the first bytes of the content, at most n. It returns Gone if the content was deleted.
func (s Stored) Head(ctx context.Context, n int64) ([]byte, error) {
	head, err := s.Bucket.Part(ctx, s.Key, 0, n)
	return head, s.Blame(err)
}

func (s Stored) store(ctx context.Context, to *blob.Store, key, contentType string) (blob.Object, error) {
	if s.Err != nil {
		return blob.Object{}, s.Err
	}
	object, err := to.Copy(ctx, key, blob.Copy{
		Bucket: s.Bucket.Bucket, Key: s.Key, ETag: s.ETag, ContentType: contentType, Metadata: upload.Metadata(ctx), IfAbsent: true,
	})
	object.Bucket = to.Bucket
	return object, err
}

// same is true: the keys of items with copied content differ if their sources do.
func (Stored) same(context.Context, *blob.Store, string) (bool, error) { return true, nil }

// Blame implements Content: Gone is the problem if the other item, or its content, was deleted or replaced.
func (s Stored) Blame(err error) error {
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrChanged) {
		return s.Gone
	}
	return err
}
