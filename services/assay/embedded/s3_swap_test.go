package embedded

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/assay-project/assay/pkg/blob"
)

// TestOneOfManySwaps: of many writers that saw the same document exactly one
// replaces it, round after round, the first of which creates it.
func TestOneOfManySwaps(t *testing.T) {
	const rounds, writers = 20, 8
	client := startS3(t, S3Config{})
	bucket := blob.New(aws.Config{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
	}, blob.Config{Endpoint: aws.ToString(client.Options().BaseEndpoint), Bucket: testBucket})

	etag := ""
	for round := range rounds {
		var mu sync.Mutex
		won := map[string]string{} // tags by body
		var group sync.WaitGroup
		for writer := range writers {
			group.Go(func() {
				body := fmt.Sprintf("%d of %d", writer, round)
				tag, err := bucket.Swap(t.Context(), "document", etag, []byte(body))
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won[body] = tag
				} else if !errors.Is(err, blob.ErrChanged) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
		got, err := bucket.Load(t.Context(), "document")
		if err != nil || len(won) != 1 || won[string(got.Body)] != got.ETag {
			t.Fatalf("round %d: %d writers won, and the bucket has %q, %v", round, len(won), got.Body, err)
		}
		etag = got.ETag
	}
	if err := bucket.Delete(t.Context(), "document"); err != nil {
		t.Fatal(err)
	}
	if _, err := bucket.Swap(t.Context(), "document", etag, nil); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a swap of what was deleted: %v", err)
	}
	if _, err := bucket.Load(t.Context(), "document"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a look at what was deleted: %v", err)
	}
}
