package blob

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Versioned reports whether the bucket keeps the earlier versions of replaced and deleted objects.
func (s *Store) Versioned(ctx context.Context) (bool, error) {
	out, err := s.client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &s.Bucket})
	if err != nil {
		return false, translate("get versioning", s.Bucket, err)
	}
	return out.Status == types.BucketVersioningStatusEnabled, nil
}
