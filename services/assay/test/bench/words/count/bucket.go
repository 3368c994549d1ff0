package main

import (
	"context"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/plaintext"
	"github.com/assay-project/assay/pkg/extract/wordstats"
)

// partSize is the default of ASSAY_RANGE_SIZE.
const partSize = 32 << 20 // bytes

// bucket describes a text stored by the program bucket.
type bucket struct {
	url, etag, key string
	size           int64
}

// count counts the words of the stored text as the analyzer does.
func (b bucket) count(ctx context.Context, readers int) (wordstats.Statistics, error) {
	store := blob.New(aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider(b.key, b.key, "")},
		blob.Config{Endpoint: b.url, Bucket: "bench"})
	object := blob.Ranges{Store: store, Key: "text", ETag: b.etag, Size: b.size}
	if readers == 1 {
		var statistics wordstats.Statistics
		text := plaintext.Text{ContentType: "text/plain", Open: func() (io.ReadCloser, error) { return store.Open(ctx, object.Key, object.ETag) }}
		_, err := text.Read(func(r io.Reader) (err error) {
			statistics, err = wordstats.Limits{}.CountAhead(r)
			return err
		})
		return statistics, err
	}
	head := make([]byte, plaintext.HeadSize)
	if _, err := io.ReadFull(object.From(ctx, 0, plaintext.HeadSize), head); err != nil {
		return wordstats.Statistics{}, err
	}
	parts, err := plaintext.NewParts(head, "text/plain")
	if err != nil {
		return wordstats.Statistics{}, err
	}
	return wordstats.Limits{Strict: true}.CountParts(ctx, wordstats.Parts{
		Size: b.size, PartSize: partSize, Readers: readers,
		From: func(ctx context.Context, at, end int64) io.ReadCloser { return parts.Part(object.From(ctx, at, end)) },
	})
}
