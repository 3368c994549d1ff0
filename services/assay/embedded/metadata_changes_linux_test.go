package embedded

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/s3response"
)

// TestKillBetweenStepsOfAChange ends after each step of a change to an object, as a kill does. The folder and a
// copy of it without extended attributes have no damage, and serve the old or the new object with its metadata.
func TestKillBetweenStepsOfAChange(t *testing.T) {
	const key = "files/1/a"
	was, is := stored{"old", "text/old"}, stored{"new content", "text/new"}
	for name, c := range map[string]struct {
		change func(*testing.T, *durableStore)
		want   []stored // the objects that are right; none means that there is no object
	}{
		"linked": {func(t *testing.T, d *durableStore) {
			is.link(t, d, key)
		}, []stored{is}},
		"replaced": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			is.link(t, d, key)
		}, []stored{is}},
		"replaced by the same content": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			stored{was.content, is.contentType}.link(t, d, key)
		}, []stored{was, {was.content, is.contentType}}},
		"staged": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			is.stage(t, d, key)
		}, []stored{was}},
		"staged in part": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			is.stage(t, d, key)
			staged, err := filepath.Glob(filepath.Join(d.copies.changes.dir, "*"))
			if err != nil || len(staged) != 1 {
				t.Fatalf("got staged copies %v, %v, want one", staged, err)
			}
			if err := os.Truncate(staged[0], 20); err != nil {
				t.Fatal(err)
			}
		}, []stored{was}},
		"linked for a replacement": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			path := d.pathOf(testBucket, key)
			is.link(t, d, key+".other")
			if err := os.Rename(path+".other", filepath.Join(filepath.Dir(path), ".a.sgwtmp.1")); err != nil {
				t.Fatal(err)
			}
			is.stage(t, d, key)
		}, []stored{was}},
		"delete begun": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			if _, err := d.copies.delete(testBucket, key); err != nil {
				t.Fatal(err)
			}
		}, []stored{was}},
		"deleted": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			_, err := d.copies.delete(testBucket, key)
			if err = errors.Join(err, os.Remove(d.pathOf(testBucket, key))); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"updated": {func(t *testing.T, d *durableStore) {
			was.put(t, d, key)
			one, err := d.copies.current(nil, testBucket, key)
			if err != nil {
				t.Fatal(err)
			}
			one.Attributes["content-type"] = []byte(is.contentType)
			content, err := one.encode()
			if err == nil {
				_, err = d.copies.changes.create(copyName(testBucket, key), content)
			}
			if err == nil {
				err = d.copies.meta.StoreAttribute(nil, testBucket, key, "content-type", []byte(is.contentType))
			}
			if err != nil {
				t.Fatal(err)
			}
		}, []stored{was, {was.content, is.contentType}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir()) // the store changes it
			dir := t.TempDir()
			d := openTestStore(t, dir)
			if err := os.Mkdir(filepath.Join(dir, "objects", testBucket), 0o700); err != nil {
				t.Fatal(err)
			}
			c.change(t, d)
			copied := filepath.Join(t.TempDir(), "copy")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			for where, dir := range map[string]string{"folder": dir, "copy": copied} {
				objects, err := VerifyS3(dir, false, func(problem string) { t.Errorf("%s: found %s, want no problem", where, problem) })
				if err != nil || objects != min(len(c.want), 1) {
					t.Errorf("%s: verified %d objects, %v, want %d", where, objects, err, min(len(c.want), 1))
				}
				got, err := readStored(t, openTestStore(t, dir), key)
				if len(c.want) == 0 && err == nil || len(c.want) > 0 && (err != nil || !slices.Contains(c.want, got)) {
					t.Errorf("%s: got %+v, %v, want one of %+v", where, got, err, c.want)
				}
				if left, err := os.ReadDir(filepath.Join(dir, "changes")); err != nil || len(left) > 0 {
					t.Errorf("%s: changes left: %v, %v, want none", where, left, err)
				}
			}
		})
	}
}

// stored is what a client sees of an object.
type stored struct{ content, contentType string }

func openTestStore(t *testing.T, dir string) *durableStore {
	t.Helper()
	d, err := openStore(S3Config{Dir: dir, sync: (*os.File).Sync})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (o stored) input(key string) s3response.PutObjectInput {
	return s3response.PutObjectInput{
		Bucket: aws.String(testBucket), Key: &key, Body: strings.NewReader(o.content),
		ContentLength: aws.Int64(int64(len(o.content))), ContentType: &o.contentType,
	}
}

func (o stored) put(t *testing.T, d *durableStore, key string) {
	t.Helper()
	if _, err := d.PutObject(t.Context(), o.input(key)); err != nil {
		t.Fatal(err)
	}
}

// link stores an object as if the process were killed when the object has its name.
func (o stored) link(t *testing.T, d *durableStore, key string) {
	t.Helper()
	if _, err := d.Posix.PutObject(t.Context(), o.input(key)); err != nil {
		t.Fatal(err)
	}
}

// stage stores an object as if the process were killed before the object has its name.
func (o stored) stage(t *testing.T, d *durableStore, key string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "unnamed"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(o.content)
	for name, value := range map[string]string{etagAttribute: `"1"`, "content-type": o.contentType} {
		if err == nil {
			err = d.meta.StoreAttribute(file, testBucket, key, name, []byte(value))
		}
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

func readStored(t *testing.T, d *durableStore, key string) (stored, error) {
	t.Helper()
	out, err := d.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(testBucket), Key: &key})
	if err != nil {
		return stored{}, err
	}
	content, err := io.ReadAll(out.Body)
	return stored{string(content), aws.ToString(out.ContentType)}, errors.Join(err, out.Body.Close())
}
