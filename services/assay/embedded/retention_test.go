package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// putDescribed stores an object with metadata that does not fit into an extended attribute.
func putDescribed(t *testing.T, client *s3.Client, key, body string) {
	t.Helper()
	_, err := client.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: aws.String(testBucket), Key: &key, Body: strings.NewReader(body), Metadata: map[string]string{"about": body + strings.Repeat("x", inlineAttribute)},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, client *s3.Client, keys ...string) {
	t.Helper()
	var all []types.ObjectIdentifier
	for _, key := range keys {
		all = append(all, types.ObjectIdentifier{Key: aws.String(key)})
	}
	_, err := client.DeleteObjects(t.Context(), &s3.DeleteObjectsInput{Bucket: aws.String(testBucket), Delete: &types.Delete{Objects: all}})
	if err != nil {
		t.Fatal(err)
	}
}

// copied copies what Each returns to a folder, as a backup does. It returns the content of the objects by key.
func copied(t *testing.T, objects *Objects, to string, each func(key string)) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := objects.Each(t.Context(), func(object ObjectFile) error {
		write := func(name string, content []byte) error {
			path := filepath.Join(to, filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600))
		}
		if err := write(object.MetadataPath, object.Metadata); err != nil {
			return err
		}
		if object.File == nil {
			return os.MkdirAll(filepath.Join(to, filepath.FromSlash(object.Path())), 0o700)
		}
		each(object.Key)
		content, err := io.ReadAll(object.File)
		if _, twice := got[object.Key]; twice {
			t.Errorf("object %s came twice", object.Key)
		}
		got[object.Key] = string(content)
		if int64(len(content)) != object.Size || object.ETag == "" {
			t.Errorf("object %s has %d bytes and the ETag %q, want %d bytes", object.Key, len(content), object.ETag, object.Size)
		}
		return errors.Join(err, write(object.Path(), content))
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestObjectsOfTheMark checks that a backup contains the objects as they were at the mark, whatever requests change before
// and while it reads them, and that a server serves the copy.
func TestObjectsOfTheMark(t *testing.T) {
	for _, inFiles := range []bool{false, true} {
		t.Run(fmt.Sprint("attributes in files ", inFiles), func(t *testing.T) {
			dir := t.TempDir()
			if inFiles {
				if err := os.Mkdir(filepath.Join(dir, "attributes"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			srv, client := startS3Server(t, S3Config{Dir: dir})
			want := map[string]string{}
			for i := range 30 {
				key := fmt.Sprintf("d%d/%02d", i%3, i)
				want[key] = fmt.Sprint("content of ", i)
				putDescribed(t, client, key, want[key])
			}
			objects, err := srv.Retain()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := srv.Retain(); !errors.Is(err, ErrRetaining) {
				t.Errorf("a second mark: got %v, want %v", err, ErrRetaining)
			}
			change := func(key string) { // several times, so that only the first matters
				putDescribed(t, client, key, "replaced "+key)
				remove(t, client, key)
				putDescribed(t, client, key, "created again "+key)
			}
			keys := slices.Sorted(maps.Keys(want))
			for _, key := range keys[:6] {
				change(key)
			}
			remove(t, client, keys[6:9]...)
			put(t, client, "d0/new", "created after the mark")
			remove(t, client, "d0/new")
			put(t, client, "d1/new", "created after the mark")
			_, err = client.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: aws.String(testBucket), Key: &keys[9], CopySource: aws.String(testBucket + "/" + keys[20])})
			if err != nil {
				t.Fatal(err)
			}
			uploadParts(t, client, keys[10], bytes.Repeat([]byte("p"), 6<<20), types.ChecksumAlgorithmCrc32)
			steps := 0
			restored := t.TempDir()
			got := copied(t, objects, restored, func(key string) {
				if steps++; steps == 3 { // what is behind, present and ahead
					change(keys[0])
					change(key)
					remove(t, client, keys[len(keys)-1])
					change(keys[len(keys)-2])
					put(t, client, "d2/new", "created after the mark")
				}
			})
			for key, content := range want {
				if got[key] != content {
					t.Errorf("%s: got %.30q, want %q", key, got[key], content)
				}
			}
			if len(got) != len(want) {
				t.Errorf("got the objects %v, want %v", slices.Sorted(maps.Keys(got)), keys)
			}
			if err := objects.Close(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dir, retainedFolder)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the folder of retained objects: got %v, want that it is removed", err)
			}
			if err := srv.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := VerifyS3(restored, false, func(problem string) { t.Errorf("the copy: %s", problem) }); err != nil {
				t.Error(err)
			}
			_, client = startS3Server(t, S3Config{Dir: restored})
			for key, content := range want {
				out, err := client.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: &key})
				if err != nil {
					t.Fatalf("%s of the copy: %v", key, err)
				}
				body, err := io.ReadAll(out.Body)
				if err = errors.Join(err, out.Body.Close()); err != nil || string(body) != content || !strings.HasPrefix(out.Metadata["about"], content) {
					t.Errorf("%s of the copy: got %.30q described by %.20q, error %v, want %q", key, body, out.Metadata["about"], err, content)
				}
			}
		})
	}
}

// TestRetainedObjectsOfKilledBackup checks that a start removes what a killed process has retained.
func TestRetainedObjectsOfKilledBackup(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, retainedFolder, "0")
	if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, []byte("left"), 0o600)); err != nil {
		t.Fatal(err)
	}
	startS3(t, S3Config{Dir: dir})
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the file is removed", err)
	}
}
