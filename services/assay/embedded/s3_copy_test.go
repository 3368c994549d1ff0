package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/assay-project/assay/pkg/blob"
)

// twoBuckets starts a server and returns stores for two of its buckets.
func twoBuckets(t *testing.T) (temp, final *blob.Store) {
	t.Helper()
	client := startS3(t, S3Config{})
	temp = blob.New(aws.Config{
		Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
	}, blob.Config{Endpoint: aws.ToString(client.Options().BaseEndpoint), Bucket: testBucket})
	final = temp.In("another-bucket")
	if err := final.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	return temp, final
}

func content(t *testing.T, s *blob.Store, key, etag string) []byte {
	t.Helper()
	body, err := s.Open(t.Context(), key, etag)
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	all, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCopyBetweenBuckets(t *testing.T) {
	temp, final := twoBuckets(t)
	const source, part = "a b/+ü%20?#&.txt", 5 << 20
	metadata := map[string]string{"job": "j1"}
	for name, c := range map[string]struct {
		size int
		copy blob.Copy
	}{
		"small":                    {100, blob.Copy{}},
		"empty":                    {0, blob.Copy{}},
		"small, if absent":         {100, blob.Copy{IfAbsent: true}},
		"empty, if absent":         {0, blob.Copy{IfAbsent: true}},
		"in parts":                 {2*part + 17, blob.Copy{PartSize: part}},
		"in equal parts":           {2 * part, blob.Copy{PartSize: part}},
		"in parts, other metadata": {part + 1, blob.Copy{PartSize: part, IfAbsent: true, ContentType: "image/png", Metadata: map[string]string{"n": "2"}}},
		"other metadata":           {100, blob.Copy{ContentType: "image/png", Metadata: map[string]string{"n": "2"}}},
		"other content type":       {100, blob.Copy{ContentType: "image/png"}},
	} {
		t.Run(name, func(t *testing.T) {
			body := bytes.Repeat([]byte("0123456789abcdefg"), c.size/17+1)[:c.size]
			if err := temp.Delete(t.Context(), source); err != nil {
				t.Fatal(err)
			}
			put, err := temp.Put(t.Context(), source, "text/plain", metadata, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			c.copy.Bucket, c.copy.Key, c.copy.ETag = temp.Bucket, source, put.ETag
			key := "copies/" + name + "+ü"
			made, err := final.Copy(t.Context(), key, c.copy)
			if err != nil {
				t.Fatal(err)
			}
			wantType, wantMetadata := "text/plain", metadata
			if c.copy.ContentType != "" {
				wantType, wantMetadata = c.copy.ContentType, c.copy.Metadata
			}
			found, err := final.Head(t.Context(), key)
			if err != nil || found.ETag != made.ETag || found.Size != int64(c.size) || made.Size != found.Size ||
				found.ContentType != wantType || !maps.Equal(found.Metadata, wantMetadata) || made.ContentType != wantType || !maps.Equal(made.Metadata, wantMetadata) {
				t.Errorf("Copy = %+v, Head = %+v, %v, want equal objects of %d bytes, type %s and metadata %v", made, found, err, c.size, wantType, wantMetadata)
			}
			if got := content(t, final, key, made.ETag); !bytes.Equal(got, body) {
				t.Errorf("the copy has %d bytes that differ from the %d stored bytes", len(got), c.size)
			}
			if got := content(t, temp, source, put.ETag); !bytes.Equal(got, body) {
				t.Errorf("the source has %d bytes that differ from the %d stored bytes", len(got), c.size)
			}
		})
	}
}

func TestCopyErrors(t *testing.T) {
	temp, final := twoBuckets(t)
	ctx := t.Context()
	if _, err := final.Copy(ctx, "to", blob.Copy{Bucket: temp.Bucket, Key: "nothing"}); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("copy of a missing source: got %v, want %v", err, blob.ErrNotFound)
	}
	if _, err := temp.Put(ctx, "from", "text/plain", nil, strings.NewReader("one")); err != nil {
		t.Fatal(err)
	}
	if _, err := final.Copy(ctx, "to", blob.Copy{Bucket: temp.Bucket, Key: "from", ETag: "0123"}); !errors.Is(err, blob.ErrChanged) {
		t.Errorf("copy of a changed source: got %v, want %v", err, blob.ErrChanged)
	}
	if _, err := final.Head(ctx, "to"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("head after a failed copy: got %v, want %v", err, blob.ErrNotFound)
	}
	if _, err := temp.In("no-such-bucket").Copy(ctx, "to", blob.Copy{Bucket: temp.Bucket, Key: "from"}); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("copy to a missing bucket: got %v, want %v", err, blob.ErrNotFound)
	}
}

// TestOnlyOneConcurrentCopySucceeds checks that exactly one of several copies to the same key with IfAbsent succeeds.
func TestOnlyOneConcurrentCopySucceeds(t *testing.T) {
	temp, final := twoBuckets(t)
	const copies = 8
	for i := range copies {
		if _, err := temp.Put(t.Context(), fmt.Sprint("from-", i), "text/plain", nil, strings.NewReader(fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var won []string
	var group sync.WaitGroup
	for i := range copies {
		group.Go(func() {
			_, err := final.Copy(t.Context(), "to", blob.Copy{Bucket: temp.Bucket, Key: fmt.Sprint("from-", i), IfAbsent: true})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, fmt.Sprint(i))
			} else if !errors.Is(err, blob.ErrExists) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := content(t, final, "to", ""); len(won) != 1 || won[0] != string(got) {
		t.Errorf("the copies %q succeeded and the bucket has %q, want one copy and its content", won, got)
	}
}
