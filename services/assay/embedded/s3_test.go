package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

const (
	testKey    = "assay"
	testSecret = "assay-secret"
	testBucket = "files"
)

// startS3 starts the server with the test account and one bucket.
func startS3(t *testing.T, cfg S3Config) *s3.Client {
	t.Helper()
	_, client := startS3Server(t, cfg)
	return client
}

func startS3Server(t *testing.T, cfg S3Config) (*S3, *s3.Client) {
	t.Helper()
	cfg.AccessKey, cfg.SecretKey = testKey, testSecret
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	srv, err := StartS3(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	client := s3Client(srv.URL())
	_, err = client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(testBucket)})
	if _, exists := errors.AsType[*types.BucketAlreadyOwnedByYou](err); err != nil && !exists {
		t.Fatal(err)
	}
	return srv, client
}

func s3Client(url string) *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: &url,
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
		UsePathStyle: true,
	})
}

func put(t *testing.T, client *s3.Client, key, body string) {
	t.Helper()
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(testBucket), Key: &key, Body: strings.NewReader(body), ContentType: aws.String("text/plain"),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, client *s3.Client, key string) (body, contentType string) {
	t.Helper()
	out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(out.Body)
	if err := errors.Join(err, out.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content), aws.ToString(out.ContentType)
}

func TestS3KeepsObjectsWhenKilled(t *testing.T) {
	dir := t.TempDir()
	url, kill := startChild(t, "s3", dir)
	client := s3Client(url)
	if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(testBucket)}); err != nil {
		t.Fatal(err)
	}
	put(t, client, "files/1/a", "kept")
	if out := kill(); out != "" {
		t.Errorf("the server wrote %q to standard output, want nothing", out)
	}
	client = startS3(t, S3Config{Dir: dir})
	if body, contentType := get(t, client, "files/1/a"); body != "kept" || contentType != "text/plain" {
		t.Fatalf("after kill: got %q of type %q, want kept of type text/plain", body, contentType)
	}
}

func TestS3KeepsObjectsInSidecar(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "attributes"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, startS3(t, S3Config{Dir: dir}), "files/1/a", "kept")
	stored, err := filepath.Glob(filepath.Join(dir, "attributes", testBucket, "files", "1", "a", "meta", "*"))
	if err != nil || len(stored) == 0 {
		t.Fatalf("got the metadata files %q, %v, want at least one", stored, err)
	}
}

func TestS3SyncsBeforeResponding(t *testing.T) {
	for _, sidecar := range []bool{false, true} {
		t.Run(map[bool]string{false: "attributes", true: "sidecar"}[sidecar], func(t *testing.T) {
			dir := t.TempDir()
			if sidecar {
				if err := os.Mkdir(filepath.Join(dir, "attributes"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			synced := make(chan string, 1000)
			client := startS3(t, S3Config{Dir: dir, sync: func(f *os.File) error {
				synced <- f.Name()
				return f.Sync()
			}})
			want := []string{"objects", "objects/files"}
			if sidecar {
				want = append(want, "attributes/files/meta", "attributes/files", "attributes")
			}
			wantSynced(t, dir, synced, want)

			put(t, client, "files/1/a", "kept")
			want = []string{"objects/files/files/1/a", "objects/files/files/1", "objects/files/files", "objects/files"}
			if sidecar {
				want = append(want, "attributes/files/files/1/a/meta", "attributes/files/files/1/a/meta/etag",
					"attributes/files/files/1/a/meta/content-type", "attributes/files/files/1", "attributes/files")
			}
			wantSynced(t, dir, synced, want)
		})
	}
}

// TestS3FolderSyncs counts the syncs of the bucket's directory: one per new
// entry, and another one after a removal.
func TestS3FolderSyncs(t *testing.T) {
	dir := t.TempDir()
	bucket := filepath.Join(dir, "objects", testBucket)
	synced := 0
	client := startS3(t, S3Config{Dir: dir, sync: func(f *os.File) error {
		if f.Name() == bucket {
			synced++
		}
		return f.Sync()
	}})
	key := aws.String("files/1/a")
	for _, step := range []struct {
		name string
		do   func() error
		want int
	}{
		{"a new directory", func() error { put(t, client, "files/1/a", "kept"); return nil }, 1},
		{"another object in the directory", func() error { put(t, client, "files/2/a", "kept"); return nil }, 0},
		{"an object next to the directory", func() error { put(t, client, "a", "kept"); return nil }, 1},
		{"a removal", func() error {
			_, err := client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String("files/2/a")})
			return err
		}, 0},
		{"a directory that is not removed", func() error { put(t, client, "files/2/a", "kept"); return nil }, 1},
		{"another new object in it", func() error { put(t, client, "files/3/a", "kept"); return nil }, 0},
		{"a removal of everything", func() error {
			objects := []types.ObjectIdentifier{{Key: key}, {Key: aws.String("files/2/a")}, {Key: aws.String("files/3/a")}}
			_, err := client.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: aws.String(testBucket), Delete: &types.Delete{Objects: objects}})
			return err
		}, 0},
		{"a directory that was removed", func() error { put(t, client, "files/1/a", "kept"); return nil }, 1},
	} {
		synced = 0
		if err := step.do(); err != nil || synced != step.want {
			t.Errorf("%s: got %d syncs of the bucket's directory, %v, want %d", step.name, synced, err, step.want)
		}
	}
}

// TestS3UploadsShareFolderSync checks that uploads that have created their directory entries before the
// first of them syncs the parent directory share one sync.
func TestS3UploadsShareFolderSync(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "objects", testBucket, "files")
	const uploads = 4
	var begun, shared atomic.Int32
	together := make(chan struct{})
	client := startS3(t, S3Config{Dir: dir, sync: func(f *os.File) error {
		switch {
		case f.Name() == folder:
			shared.Add(1)
		case filepath.Base(f.Name()) == "a":
			if begun.Add(1) == uploads {
				close(together)
			}
			select {
			case <-together:
			case <-time.After(time.Minute):
				return errors.New("the other uploads did not arrive")
			}
		}
		return f.Sync()
	}})
	var all sync.WaitGroup
	for i := range uploads {
		all.Go(func() {
			_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
				Bucket: aws.String(testBucket), Key: aws.String(fmt.Sprintf("files/%d/a", i)), Body: strings.NewReader("kept"),
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := shared.Load(); n != 1 {
		t.Errorf("the parent of %d new directories was synced %d times, want once", uploads, n)
	}
}

// wantSynced compares the syncs so far with the expected ones.
func wantSynced(t *testing.T, dir string, synced chan string, want []string) {
	t.Helper()
	var got []string
	for len(synced) > 0 {
		rel, err := filepath.Rel(dir, <-synced)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("synced %q, want %s among them", got, path)
		}
	}
}

func TestS3FailedSyncRejectsPutAndStoresNothing(t *testing.T) {
	broken := false
	client := startS3(t, S3Config{
		Created: func(context.Context, Object) error {
			t.Error("notified of an object that is not durable, want no notification")
			return nil
		},
		sync: func(f *os.File) error {
			if broken {
				return errors.New("disk is broken")
			}
			return f.Sync()
		},
	})
	broken = true
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(testBucket), Key: aws.String("files/1/a"), Body: bytes.NewReader([]byte("x")),
	}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
	if err == nil {
		t.Fatal("PutObject succeeded although the sync failed, want an error")
	}
	_, err = client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: aws.String("files/1/a")})
	if _, missing := errors.AsType[*types.NotFound](err); !missing {
		t.Fatalf("head after a failed sync: got %v, want not found", err)
	}
}

func TestS3DeleteDuringPutIsNoError(t *testing.T) {
	const key = "files/1/a"
	var client *s3.Client
	client = startS3(t, S3Config{
		Created: func(context.Context, Object) error {
			t.Error("notified of a deleted object, want no notification")
			return nil
		},
		sync: func(f *os.File) (err error) {
			if strings.HasSuffix(filepath.ToSlash(f.Name()), key) { // the directories, which are synced next, are removed too
				_, err = client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String(key)})
			}
			return errors.Join(err, f.Sync())
		},
	})
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(testBucket), Key: aws.String(key), Body: bytes.NewReader([]byte("x")),
	}, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
	if err != nil {
		t.Errorf("PUT of an object that is deleted concurrently: got error %v, want none", err)
	}
	_, err = client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: aws.String(testBucket), Key: aws.String(key)})
	if _, missing := errors.AsType[*types.NotFound](err); !missing {
		t.Errorf("HEAD: got error %v, want NotFound", err)
	}
}

func TestS3OnePerProcess(t *testing.T) {
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cfg := S3Config{Dir: t.TempDir(), AccessKey: testKey, SecretKey: testSecret}
	first, err := StartS3(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StartS3(t.Context(), cfg); !errors.Is(err, ErrS3Running) {
		t.Errorf("second server: got %v, want %v", err, ErrS3Running)
	}
	if err := errors.Join(first.Close(), first.Close()); err != nil {
		t.Fatal(err)
	}
	<-first.Stopped()
	if after, err := os.Getwd(); err != nil || after != before {
		t.Errorf("working directory after Close: got %s, %v, want %s", after, err, before)
	}
	second, err := StartS3(t.Context(), cfg)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}

func TestS3RejectsPortInUse(t *testing.T) {
	running := startNATS(t, NATSConfig{Dir: t.TempDir()})
	cfg := S3Config{Dir: t.TempDir(), AccessKey: testKey, SecretKey: testSecret}
	cfg.Addr = strings.TrimPrefix(running.URL(), "nats://")
	if _, err := StartS3(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), cfg.Addr) {
		t.Fatalf("StartS3 on a port in use: got %v, want an error that contains %s", err, cfg.Addr)
	}
}
