package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/s3response"
)

// TestKillAtEachStep ends each change to an object before each of its steps, as a kill does, and after the last. The
// folder and a copy of it without extended attributes then have no damage, and serve the old or the new object.
func TestKillAtEachStep(t *testing.T) {
	const key = "files/1/a"
	was, is := stored{"old", "text/old"}, stored{"new content", "text/new"}
	for name, c := range map[string]struct {
		before, after *stored // nil for no object
		change        func(context.Context, *durableStore) error
	}{
		"stored":                     {nil, &is, func(ctx context.Context, d *durableStore) error { return putInput(ctx, d, is.input(key)) }},
		"replaced":                   {&was, &is, func(ctx context.Context, d *durableStore) error { return putInput(ctx, d, is.input(key)) }},
		"replaced with tags":         {&was, &is, func(ctx context.Context, d *durableStore) error { return putInput(ctx, d, tagged(is.input(key))) }},
		"replaced by large metadata": {&was, &is, func(ctx context.Context, d *durableStore) error { return putInput(ctx, d, described(is.input(key))) }},
		"tagged": {&was, &was, func(ctx context.Context, d *durableStore) error {
			return d.PutObjectTagging(ctx, testBucket, key, "", map[string]string{"c": "d"})
		}},
		"untagged": {&was, &was, func(ctx context.Context, d *durableStore) error {
			return d.DeleteObjectTagging(ctx, testBucket, key, "")
		}},
		"replaced by an upload in parts": {&was, &is, func(ctx context.Context, d *durableStore) error { return is.inParts(ctx, d, key) }},
		"deleted": {&was, nil, func(ctx context.Context, d *durableStore) error {
			_, err := d.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: aws.String(testBucket), Key: aws.String(key)})
			return err
		}},
		"deleted with others": {&was, nil, func(ctx context.Context, d *durableStore) error {
			_, err := d.DeleteObjects(ctx, &s3.DeleteObjectsInput{
				Bucket: aws.String(testBucket), Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("other")}, {Key: aws.String(key)}}},
			})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // the store changes it
			steps := 0
			for ended := false; !ended && !t.Failed(); steps++ {
				dir := t.TempDir()
				d := openTestStore(t, dir)
				d.sync = func(*os.File) error { return nil }
				if err := os.Mkdir(filepath.Join(dir, "objects", testBucket), 0o700); err != nil {
					t.Fatal(err)
				}
				if c.before != nil { // with an attribute that is stored in a file
					if err := putInput(t.Context(), d, tagged(described(c.before.input(key)))); err != nil {
						t.Fatal(err)
					}
				}
				ended = killedAt(t, d, steps+1, c.change)
				allowed := []*stored{c.before, c.after}
				if ended {
					allowed = allowed[1:]
				}
				checkKilled(t, dir, key, allowed)
			}
			if t.Failed() {
				t.Logf("killed before step %d", steps)
			}
			if steps < 3 {
				t.Errorf("got %d steps, want at least 2 before the end", steps)
			}
		})
	}
}

// killedAt runs a change until its nth step, as if the process were killed before it. ended reports whether the change has
// fewer steps.
func killedAt(t *testing.T, d *durableStore, n int, change func(context.Context, *durableStore) error) (ended bool) {
	t.Helper()
	reached, done := make(chan struct{}), make(chan error, 1)
	stop := func() {
		if n--; n == 0 {
			close(reached)
			select {} // deferred calls must not run
		}
	}
	d.copies.changes.stop = stop
	attributes := d.copies.meta.(*attributes)
	d.meta.MetadataStorer = &stoppingStorer{attributes, stop}
	d.copies.meta = d.meta.MetadataStorer
	go func() { done <- change(context.WithoutCancel(t.Context()), d) }()
	select {
	case <-reached:
		return false
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
		return true
	}
}

// stoppingStorer calls stop before each change of an attribute, and between the two parts of a large one.
type stoppingStorer struct {
	*attributes
	stop func()
}

func (s *stoppingStorer) StoreAttribute(f *os.File, bucket, object, name string, value []byte) error {
	s.stop()
	if len(value) > inlineAttribute {
		if err := s.large.StoreAttribute(f, bucket, object, name, value); err != nil {
			return err
		}
		s.stop()
	}
	return s.attributes.StoreAttribute(f, bucket, object, name, value)
}

func (s *stoppingStorer) DeleteAttribute(bucket, object, name string) error {
	s.stop()
	return s.attributes.DeleteAttribute(bucket, object, name)
}

func (s *stoppingStorer) DeleteAttributes(bucket, object string) error {
	s.stop()
	return s.attributes.DeleteAttributes(bucket, object)
}

var _ meta.MetadataStorer = &stoppingStorer{}

// checkKilled checks the folder after a kill, and a copy of it without extended attributes.
func checkKilled(t *testing.T, dir, key string, allowed []*stored) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	for where, dir := range map[string]string{"folder": dir, "copy": copied} {
		if _, err := VerifyS3(dir, false, func(problem string) { t.Errorf("%s: found %s, want no problem", where, problem) }); err != nil {
			t.Errorf("%s: verify: %v", where, err)
		}
		got, err := readStored(t, openTestStore(t, dir), key)
		present := &got
		if err != nil {
			present = nil
			if _, found := os.Lstat(filepath.Join(dir, "objects", testBucket, filepath.FromSlash(key))); !errors.Is(found, fs.ErrNotExist) {
				t.Errorf("%s: read: %v", where, err)
			}
		}
		if !slices.ContainsFunc(allowed, func(one *stored) bool {
			return one == nil && present == nil || one != nil && present != nil && *one == *present
		}) {
			t.Errorf("%s: got %+v, %v, want one of %+v", where, got, err, allowed)
		}
		if left, err := os.ReadDir(filepath.Join(dir, "changes")); err != nil || len(left) > 0 {
			t.Errorf("%s: changes left: %v, %v, want none", where, left, err)
		}
	}
}

func putInput(ctx context.Context, d *durableStore, in s3response.PutObjectInput) error {
	_, err := d.PutObject(ctx, in)
	return err
}

// tagged adds tags, which the gateway stores when the object has its name.
func tagged(in s3response.PutObjectInput) s3response.PutObjectInput {
	in.Tagging = aws.String("a=b")
	return in
}

// described adds metadata that does not fit into an extended attribute.
func described(in s3response.PutObjectInput) s3response.PutObjectInput {
	in.Metadata = map[string]string{"about": *in.ContentType + strings.Repeat("x", inlineAttribute)}
	return in
}

// inParts stores an object by an upload in parts, with metadata that does not fit into an extended attribute.
func (o stored) inParts(ctx context.Context, d *durableStore, key string) error {
	in := described(o.input(key))
	upload, err := d.CreateMultipartUpload(ctx, s3response.CreateMultipartUploadInput{
		Bucket: in.Bucket, Key: in.Key, ContentType: in.ContentType, Metadata: in.Metadata,
	})
	if err != nil {
		return err
	}
	part, err := d.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: in.Bucket, Key: in.Key, UploadId: &upload.UploadId, PartNumber: aws.Int32(1), Body: in.Body, ContentLength: in.ContentLength,
	})
	if err != nil {
		return err
	}
	parts := []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: part.ETag}}
	_, _, err = d.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: in.Bucket, Key: in.Key, UploadId: &upload.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	return err
}

// TestKillAfterReplacementBySameContent checks that the next start does not add the metadata of the replaced object, which has
// the same ETag.
func TestKillAfterReplacementBySameContent(t *testing.T) {
	const key = "files/1/a"
	t.Chdir(t.TempDir()) // the store changes it
	dir, same := t.TempDir(), stored{"same", "text/plain"}
	d := openTestStore(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "objects", testBucket), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := putInput(t.Context(), d, tagged(described(same.input(key)))); err != nil {
		t.Fatal(err)
	}
	same.link(t, d, key)
	d = openTestStore(t, dir)
	out, err := d.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: aws.String(key)})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Body.Close(); err != nil {
		t.Error(err)
	}
	if len(out.Metadata) > 0 || aws.ToInt32(out.TagCount) > 0 {
		t.Errorf("got metadata %v and %d tags, want those of the new object, none", out.Metadata, aws.ToInt32(out.TagCount))
	}
}
