package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/s3response"
)

// smallWindows is a store with one bucket whose windows are that small.
func smallWindows(tb testing.TB, size, worth int) *durableStore {
	tb.Helper()
	dir := tb.TempDir()
	tb.Chdir(dir) // back to where it was, in the end
	d, err := openStore(S3Config{Dir: dir, sync: func(*os.File) error { return nil }})
	if err != nil {
		tb.Fatal(err)
	}
	d.names.size, d.names.worth = size, worth
	if err := os.Mkdir(filepath.Join(d.objects, testBucket), 0o700); err != nil {
		tb.Fatal(err)
	}
	return d
}

func (d *durableStore) add(ctx context.Context, key string) error {
	body := key
	if strings.HasSuffix(key, "/") {
		body = "" // a folder has none
	}
	length := int64(len(body))
	_, err := d.PutObject(ctx, s3response.PutObjectInput{
		Bucket: aws.String(testBucket), Key: &key, Body: strings.NewReader(body), ContentLength: &length,
	})
	return err
}

// page is what the gateway makes of a request for one.
func page(prefix, delimiter, after string, most int32) *s3.ListObjectsV2Input {
	return &s3.ListObjectsV2Input{
		Bucket: aws.String(testBucket), Prefix: &prefix, Delimiter: &delimiter, StartAfter: &after,
		ContinuationToken: aws.String(""), MaxKeys: &most, FetchOwner: aws.Bool(false),
	}
}

// TestListsAsTheGateway: whatever is put and deleted meanwhile, each page is the one of
// the gateway, which reads all of a folder.
func TestListsAsTheGateway(t *testing.T) {
	d := smallWindows(t, 5, 1)
	random := rand.New(rand.NewPCG(1, 2))
	key := func() string {
		var parts []string
		for range 1 + random.IntN(3) {
			part := "k" // . and .. are no keys
			for range random.IntN(4) {
				part += string("-.0ab"[random.IntN(5)])
			}
			parts = append(parts, part)
		}
		return strings.Join(parts, "/") + [2]string{"", "/"}[random.IntN(12)/11]
	}
	prefixes := []string{"", "k", "k/", "ka/", "k-", "kb/k", "ka/k/", "k0/ka", "../"}
	objects, cut := 0, 0
	for range 50 {
		for range 16 {
			if err := d.add(t.Context(), key()); err == nil { // a file is where a folder would be
				objects++
			}
			gone := key()
			_, _ = d.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: &gone}) // or not
		}
		prefix, delimiter := prefixes[random.IntN(len(prefixes))], [4]string{"", "", "/", "-"}[random.IntN(4)]
		for after, more, pages := "", true, 0; more && pages < 25; pages++ {
			in := page(prefix, delimiter, after, 1+random.Int32N(6))
			got, err := d.ListObjectsV2(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			want, err := d.Posix.ListObjectsV2(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("prefix %q, delimiter %q, after %q, %d keys:\n got %s\nwant %s", prefix, delimiter, after, *in.MaxKeys, described(got), described(want))
			}
			cut += len(d.names.kept)
			if after, more = aws.ToString(got.NextContinuationToken), *got.IsTruncated; random.IntN(8) == 0 {
				after = key()
			}
			if random.IntN(4) == 0 {
				_ = d.add(t.Context(), key()) // or not
			}
		}
	}
	if objects < 200 || cut == 0 {
		t.Errorf("%d objects, %d windows: the test does not see what it is for", objects, cut)
	}
}

func described(r s3response.ListObjectsV2Result) string {
	var all []string
	for _, o := range r.Contents {
		all = append(all, *o.Key)
	}
	for _, p := range r.CommonPrefixes {
		all = append(all, "("+*p.Prefix+")")
	}
	return fmt.Sprint(all, *r.IsTruncated, aws.ToString(r.NextContinuationToken))
}

// TestListHasWhatWasAnswered: an object that was answered before a listing begins is in
// it, also while others are put, and folders are read.
func TestListHasWhatWasAnswered(t *testing.T) {
	d := smallWindows(t, 1000, 1)
	folder := filepath.Join(d.objects, testBucket, "files")
	fill(t, folder, 4000)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(worker)))
			for i := range 150 {
				number := random.Uint32()
				key := fmt.Sprintf("files/%08x-%d-%d", number, worker, i)
				if err := d.add(t.Context(), key); err != nil {
					t.Error(err)
					return
				}
				got, err := d.ListObjectsV2(t.Context(), page("files/", "", fmt.Sprintf("files/%08x", number), 5))
				if err != nil {
					t.Error(err)
					return
				}
				if found := described(got); !strings.Contains(found, key) {
					t.Errorf("%s is not in %s", key, found)
				}
				if random.IntN(3) == 0 {
					d.names.forget(folder) // so that it is read anew, by someone who wants less of it
				}
			}
		})
	}
	all.Wait()
}

// TestWindowsThatArePassedAreDropped: whoever goes through a folder leaves the names of
// its end behind, and no others.
func TestWindowsThatArePassedAreDropped(t *testing.T) {
	d := smallWindows(t, 50, 10)
	fill(t, filepath.Join(d.objects, testBucket, "files"), 500)
	for range 3 {
		listed := 0
		for after, more := "", true; more; {
			got, err := d.ListObjectsV2(t.Context(), page("files/", "", after, 7))
			if err != nil {
				t.Fatal(err)
			}
			listed += len(got.Contents)
			if len(d.names.kept) > 2 {
				t.Fatalf("%d windows after %q", len(d.names.kept), after)
			}
			after, more = aws.ToString(got.NextContinuationToken), *got.IsTruncated
		}
		if listed != 500 {
			t.Errorf("%d objects of 500", listed)
		}
	}
}

// fill makes a folder of so many files.
func fill(tb testing.TB, folder string, files int) {
	tb.Helper()
	if err := os.Mkdir(folder, 0o700); err != nil {
		tb.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%08x", uint32(i)*2654435761)), nil, 0o600); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkList is a page of 100 keys, one after another, of a bucket with few and with
// many objects, as it is served and as the gateway would serve it.
func BenchmarkList(b *testing.B) {
	const few, many = 10_000, 300_000
	d := smallWindows(b, windowSize, windowWorth)
	for _, folder := range []struct {
		name  string
		files int
	}{{"few", few}, {"many", many}} {
		fill(b, filepath.Join(d.objects, testBucket, folder.name), folder.files)
	}
	type lister func(context.Context, *s3.ListObjectsV2Input) (s3response.ListObjectsV2Result, error)
	perPage := map[string]float64{}
	for _, c := range []struct {
		name, folder string
		list         lister
	}{{"few", "few", d.ListObjectsV2}, {"many", "many", d.ListObjectsV2}, {"gateway-many", "many", d.Posix.ListObjectsV2}} {
		b.Run(c.name, func(b *testing.B) {
			after := ""
			for b.Loop() {
				got, err := c.list(b.Context(), page(c.folder+"/", "", after, 100))
				if err != nil {
					b.Fatal(err)
				}
				after = aws.ToString(got.NextContinuationToken)
			}
			perPage[c.name] = b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(perPage[c.name]/perPage["few"], "of-few")
		})
	}
}
