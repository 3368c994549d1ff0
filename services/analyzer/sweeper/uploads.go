package sweeper

import (
	"context"

	"github.com/assay-project/assay/pkg/blob"
)

// WalkUploads aborts multipart uploads to keys that begin with prefix if they were neither completed nor aborted
// in time. Listings of objects do not contain them.
func WalkUploads(ctx context.Context, r *Run, bucket *blob.Store, prefix string) error {
	return r.Walk(ctx, "uploads", func(ctx context.Context, cursor string) (next string, read int, err error) {
		uploads, more, err := bucket.OpenUploads(ctx, prefix, cursor)
		if err != nil {
			return "", 0, err
		}
		for _, u := range uploads {
			if r.Old(u.Initiated) {
				r.Found(ctx, AbandonedUpload, u.Key, func(ctx context.Context) error { return bucket.AbortParts(ctx, u.Key, u.ID) })
			}
		}
		if more {
			next = uploads[len(uploads)-1].Key
		}
		return next, len(uploads), nil
	})
}
