package blob

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// PageLimit is the maximum number of objects on a page of List, which is the limit of S3.
const PageLimit = 1000

// List returns up to limit objects whose keys begin with prefix and sort after the given key, in
// key order, with Bucket, Key, ETag, Size and Modified set. more reports whether more objects
// follow. limit is at most PageLimit.
func (s *Store) List(ctx context.Context, prefix, after string, limit int32) (objects []Object, more bool, err error) {
	input := &s3.ListObjectsV2Input{Bucket: &s.Bucket, Prefix: &prefix, MaxKeys: &limit}
	if after != "" {
		input.StartAfter = &after
	}
	out, err := s.client.ListObjectsV2(ctx, input)
	if err != nil {
		return nil, false, translate("list", prefix, err)
	}
	for _, found := range out.Contents {
		objects = append(objects, Object{
			Bucket: s.Bucket, Key: aws.ToString(found.Key), ETag: unquote(found.ETag),
			Size: aws.ToInt64(found.Size), Modified: aws.ToTime(found.LastModified),
		})
	}
	return objects, aws.ToBool(out.IsTruncated), nil
}
