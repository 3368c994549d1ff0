package regions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// texts replicates the texts of feed items between the buckets of two regions, as S3 replication does with rules in both
// directions that include deletions: after a lag, and not while a region has failed. It never replaces an object.
type texts struct {
	t    *testing.T
	lag  time.Duration
	stop context.CancelFunc
	done chan struct{}

	mu      sync.Mutex // held during a round
	regions [2]*region
	failed  bool
	both    map[string]bool         // keys that both buckets have, or had
	seen    [2]map[string]time.Time // when a key was first listed in one bucket only
	quiet   bool
}

// replicateTexts begins to replicate until the test ends.
func replicateTexts(t *testing.T, lag time.Duration, a, b *region) *texts {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &texts{t: t, lag: lag, stop: stop, done: make(chan struct{}), regions: [2]*region{a, b}, both: map[string]bool{}}
	r.seen = [2]map[string]time.Time{{}, {}}
	go r.run(ctx)
	t.Cleanup(func() {
		stop()
		<-r.done
	})
	return r
}

func (r *texts) run(ctx context.Context) {
	defer close(r.done)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r.mu.Lock()
		if !r.failed {
			if err := r.round(ctx); err != nil && ctx.Err() == nil {
				r.t.Errorf("replicate texts: %v", err)
			}
		}
		r.mu.Unlock()
	}
}

// fail stops replication. When it returns, no more texts arrive.
func (r *texts) fail() { r.set(true) }

// rejoin continues replication.
func (r *texts) rejoin() { r.set(false) }

func (r *texts) set(failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.quiet = failed, false
}

// settled returns an error unless both buckets have the same texts.
func (r *texts) settled() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.quiet {
		return errors.New("the buckets have different texts")
	}
	return nil
}

// round compares the buckets, and copies and deletes what the lag allows.
func (r *texts) round(ctx context.Context) error {
	var listed [2]map[string]bool
	for i := range r.regions {
		var err error
		if listed[i], err = r.list(ctx, i); err != nil {
			return err
		}
	}
	quiet := true
	for i := range r.regions {
		other := 1 - i
		for key := range listed[i] {
			if listed[other][key] {
				r.both[key] = true
				delete(r.seen[i], key)
				continue
			}
			quiet = false
			if r.seen[i][key].IsZero() {
				r.seen[i][key] = time.Now()
			}
			if time.Since(r.seen[i][key]) < r.lag {
				continue
			}
			if err := r.replicate(ctx, i, key); err != nil {
				return err
			}
			delete(r.seen[i], key)
		}
	}
	r.quiet = quiet
	return nil
}

// replicate copies an object from one bucket to the other, or deletes it if the other bucket had it.
func (r *texts) replicate(ctx context.Context, from int, key string) error {
	source, target := r.regions[from], r.regions[1-from]
	if r.both[key] {
		_, err := source.Objects().DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &source.Bucket, Key: &key})
		delete(r.both, key)
		return err
	}
	object, err := source.Objects().GetObject(ctx, &s3.GetObjectInput{Bucket: &source.Bucket, Key: &key})
	if _, gone := errors.AsType[*types.NoSuchKey](err); gone {
		return nil
	}
	if err != nil {
		return err
	}
	body, err := io.ReadAll(object.Body)
	if err := errors.Join(err, object.Body.Close()); err != nil {
		return err
	}
	_, err = target.Objects().PutObject(ctx, &s3.PutObjectInput{Bucket: &target.Bucket, Key: &key, ContentType: object.ContentType, Body: bytes.NewReader(body)})
	r.both[key] = err == nil
	return err
}

// list returns the keys of the texts in a bucket.
func (r *texts) list(ctx context.Context, i int) (map[string]bool, error) {
	at := r.regions[i]
	keys := map[string]bool{}
	pages := s3.NewListObjectsV2Paginator(at.Objects(), &s3.ListObjectsV2Input{Bucket: &at.Bucket, Prefix: aws.String("feed/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, object := range page.Contents {
			keys[*object.Key] = true
		}
	}
	return keys, nil
}
