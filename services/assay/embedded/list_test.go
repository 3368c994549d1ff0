package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
)

// BenchmarkList measures consecutive pages of 1,000 keys of text files in a bucket with 10,000
// objects and one with 300,000. It fails if a page of the large bucket takes more than 3 times as
// long.
func BenchmarkList(b *testing.B) {
	const most = 3
	b.Chdir(b.TempDir()) // like the gateway, whose buckets are directories in the working directory
	d, err := openStore(S3Config{Dir: b.TempDir(), sync: func(*os.File) error { return nil }})
	if err != nil {
		b.Fatal(err)
	}
	var few float64 // seconds per page
	for _, objects := range []int{10_000, 300_000} {
		bucket := fmt.Sprint("bucket-", objects)
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			if _, err := os.Stat(filepath.Join(d.objects, bucket)); errors.Is(err, os.ErrNotExist) {
				storeObjects(b, d, bucket, objects)
			}
			after := ""
			for b.Loop() {
				got, err := d.ListObjectsV2(b.Context(), &s3.ListObjectsV2Input{
					Bucket: &bucket, Prefix: aws.String("files/"), Delimiter: aws.String(""), StartAfter: aws.String(""),
					ContinuationToken: &after, MaxKeys: aws.Int32(blob.PageLimit), FetchOwner: aws.Bool(false),
				})
				if err != nil || len(got.Contents) != blob.PageLimit {
					b.Fatalf("got %d objects, %v, want %d", len(got.Contents), err, blob.PageLimit)
				}
				after = aws.ToString(got.NextContinuationToken)
			}
			page := b.Elapsed().Seconds() / float64(b.N)
			if few == 0 {
				few = page
			}
			b.ReportMetric(page/few, "x-first-bucket")
			if page > most*few {
				b.Errorf("a page takes %.1f times as long as one of 10,000 objects, want at most %d", page/few, most)
			}
		})
	}
}

// storeObjects creates a bucket with objects in the form that uploads create.
func storeObjects(b *testing.B, d *durableStore, bucket string, objects int) {
	b.Helper()
	for range objects {
		key := blob.Key("files/", uuid.Must(uuid.NewV7()).String()+"/12-58606f46b1c0fcee26ea3448000ea290")
		path := filepath.Join(d.objects, bucket, filepath.FromSlash(key))
		err := errors.Join(
			os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, nil, 0o600),
			d.meta.StoreAttribute(nil, bucket, key, "etag", []byte("d41d8cd98f00b204e9800998ecf8427e")),
		)
		if err != nil {
			b.Fatal(err)
		}
	}
}
