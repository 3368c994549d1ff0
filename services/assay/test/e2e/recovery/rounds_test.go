package recovery

import (
	"context"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/assay/test/fault/ledger"
)

var faultRounds = flag.Int("fault.rounds", 1, "number of rounds that pause and kill a server, and check its folder and a copy of it")

const (
	roundUploads = 40 // of every kind, in each round
	// roundTime limits the time of a round.
	roundTime = 3 * time.Minute
	// roundPause is the duration of a pause, which is longer than the lease of work.
	roundPause = 1500 * time.Millisecond
)

// TestKilledFolderIsComplete: in each round, the server is paused and then killed during uploads of every kind. Its folder
// has no damage then, and neither has a copy without extended attributes, which serves the same objects with the same
// metadata. Every accepted upload ends once, as promised.
func TestKilledFolderIsComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("make rounds runs it")
	}
	s := system.StartServer(t, t.TempDir(), system.ShortLease, shortProjectorLease)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+*faultRounds)*roundTime)
	defer cancel()
	api := s.Client(t, system.NewOwner())
	random := rand.New(rand.NewPCG(system.LoadSeed(), 5))
	var promises []audit.Promise
	objects := 0
	for round := range *faultRounds {
		inParts := make(chan audit.Promise, 2)
		for i := range cap(inParts) { // a text, which is large in every fourth round, and a library file
			go func() { inParts <- uploadInParts(ctx, api, round*2+1+i) }()
		}
		l := system.StartLoad(ctx, t, s.System, roundUploads)
		l.During(random, 2, func(part int) {
			if part == 0 {
				pause(t, s.Program)
				return
			}
			s.Program.Kill(t)
			objects = checkFolder(ctx, t, s.Dir)
			s.Restart(t)
		})
		promises = append(promises, l.Promises...)
		for range cap(inParts) {
			promises = append(promises, <-inParts)
		}
		if t.Failed() {
			t.Fatalf("round %d of %d failed", round+1, *faultRounds)
		}
	}
	t.Logf("%d rounds; %d objects after the last kill", *faultRounds, objects)
	enter(t, ledger.Run{
		Fault: "a pause and `kill -9` of `assay serve`; then its folder and a copy of it without extended attributes are verified and compared",
		Runs:  *faultRounds,
	}, s.Audit(ctx, t, promises))
}

// pause stops a program for longer than a lease.
func pause(t *testing.T, p *system.Program) {
	t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-time.After(roundPause)
	if err := p.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
}

// checkFolder checks the folder of a killed server, and a copy of it without extended attributes. It returns the number of
// objects.
func checkFolder(ctx context.Context, t *testing.T, dir string) int {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	var all [2]map[string]s3.HeadObjectOutput
	for i, folder := range []string{dir, copied} {
		verify := system.Launch(t, "assay", nil, "verify", "--data", folder)
		if status := verify.EndWithin(ctx, t); status != 0 {
			t.Errorf("verify of %s: exit status %d, want 0:\n%s", folder, status, verify.Written())
		}
		all[i] = servedObjects(ctx, t, filepath.Join(folder, "s3"))
	}
	for name, want := range all[0] {
		if got, ok := all[1][name]; !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("the copy has %s with %+v, want %+v", name, got, want)
		}
	}
	for name := range all[1] {
		if _, ok := all[0][name]; !ok {
			t.Errorf("the copy has %s, which the folder does not have", name)
		}
	}
	if err := os.RemoveAll(copied); err != nil {
		t.Error(err)
	}
	return len(all[0])
}

// servedObjects serves the objects in a directory, reads each, and returns their metadata.
func servedObjects(ctx context.Context, t *testing.T, dir string) map[string]s3.HeadObjectOutput {
	t.Helper()
	server, err := embedded.StartS3(ctx, embedded.S3Config{Dir: dir, AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(server.URL()), Region: "us-east-1", UsePathStyle: true, Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	})
	buckets, err := client.ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]s3.HeadObjectOutput{}
	for _, bucket := range buckets.Buckets {
		for pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: bucket.Name}); pages.HasMorePages(); {
			page, err := pages.NextPage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, object := range page.Contents {
				name := *bucket.Name + "/" + *object.Key
				got, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: bucket.Name, Key: object.Key})
				if err == nil {
					_, err = io.Copy(io.Discard, got.Body)
				}
				if err != nil {
					t.Errorf("read %s: %v", name, err)
					continue
				}
				if err := got.Body.Close(); err != nil {
					t.Error(err)
				}
				all[name] = s3.HeadObjectOutput{
					ETag: got.ETag, ContentType: got.ContentType, ContentEncoding: got.ContentEncoding, CacheControl: got.CacheControl,
					ContentDisposition: got.ContentDisposition, ContentLength: got.ContentLength, Metadata: got.Metadata,
				}
			}
		}
	}
	return all
}
