package embedded

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/s3response"
)

// ListObjectsV2 is the gateway's, but for a folder with very many names, all of
// which that one reads and sorts for each page.
func (d *durableStore) ListObjectsV2(ctx context.Context, in *s3.ListObjectsV2Input) (s3response.ListObjectsV2Result, error) {
	bucket, prefix, delimiter, most := *in.Bucket, aws.ToString(in.Prefix), aws.ToString(in.Delimiter), aws.ToInt32(in.MaxKeys)
	marker := max(aws.ToString(in.StartAfter), aws.ToString(in.ContinuationToken))
	view := &view{windows: &d.names, bucket: filepath.Join(d.objects, bucket), marker: marker, most: int(most)}
	// What is wrong with a bucket the gateway says.
	if info, err := os.Stat(view.bucket); err != nil || !info.IsDir() || !filepath.IsLocal(bucket) || most <= 0 {
		return d.Posix.ListObjectsV2(ctx, in)
	}
	found, err := backend.Walk(ctx, view, prefix, delimiter, marker, most, d.FileToObj(bucket, aws.ToBool(in.FetchOwner)), []string{posix.MetaTmpDir})
	if err != nil {
		return s3response.ListObjectsV2Result{}, err
	}
	if view.passed(found) {
		d.names.forget(view.cutFolder)
		return d.Posix.ListObjectsV2(ctx, in)
	}
	count := int32(len(found.Objects) + len(found.CommonPrefixes))
	return s3response.ListObjectsV2Result{
		CommonPrefixes: found.CommonPrefixes, Contents: found.Objects, IsTruncated: &found.Truncated,
		MaxKeys: &most, KeyCount: &count, Name: &bucket,
		Delimiter:             backend.GetPtrFromString(delimiter),
		Prefix:                backend.GetPtrFromString(prefix),
		ContinuationToken:     backend.GetPtrFromString(marker),
		NextContinuationToken: backend.GetPtrFromString(found.NextMarker),
		StartAfter:            backend.GetPtrFromString(aws.ToString(in.StartAfter)),
	}, nil
}

// view is a bucket's files as far as a page of keys after the marker needs them:
// of a folder not all names that are before the marker, nor many more than a page has.
type view struct {
	windows *windows
	bucket  string // its folder
	marker  string
	most    int // keys of the page

	cutFolder, cut string // the first folder with more names than were shown, and the last one's key
}

// passed says whether the page may have keys that come after some that the view has
// left out. So it is where most of the names that were shown are no objects.
func (v *view) passed(found backend.WalkResults) bool {
	return v.cut != "" && (!found.Truncated || found.NextMarker > v.cut)
}

// Open is for what is read of a folder other than its names.
func (v *view) Open(file string) (fs.File, error) { return os.DirFS(v.bucket).Open(file) }

// ReadDir returns names of a folder of the bucket, in order.
func (v *view) ReadDir(folder string) ([]fs.DirEntry, error) {
	local, err := filepath.Localize(folder)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: folder, Err: fs.ErrInvalid}
	}
	full, above := filepath.Join(v.bucket, local), folder+"/"
	if folder == "." {
		above = ""
	}
	from := ""
	if rest, inside := strings.CutPrefix(v.marker, above); inside {
		from, _, _ = strings.Cut(rest, "/")
	}
	// The page's, what is before it in order and not after the marker, and one to tell
	// that there are more.
	names, cut, err := v.windows.list(full, from, 2*v.most+2)
	if err != nil {
		return nil, err
	}
	if last := len(names) - 1; cut && (v.cut == "" || above+names[last].text < v.cut) {
		v.cutFolder, v.cut = full, above+names[last].text
	}
	var entries []fs.DirEntry
	// A folder's keys have a slash behind its name, so that they may come after those of
	// a longer name: a-b is before a/b.
	for i := 1; i < len(from); i++ {
		if from[i] > '/' {
			continue
		}
		if info, err := os.Lstat(filepath.Join(full, from[:i])); err == nil && info.IsDir() {
			entries = append(entries, entry{name{from[:i], true}, full})
		}
	}
	for _, one := range names {
		entries = append(entries, entry{one, full})
	}
	return entries, nil
}

// entry is a name as the gateway's walk wants it.
type entry struct {
	name
	in string
}

func (e entry) Name() string { return e.text }
func (e entry) IsDir() bool  { return e.folder }
func (e entry) Type() fs.FileMode {
	if e.folder {
		return fs.ModeDir
	}
	return 0
}
func (e entry) Info() (fs.FileInfo, error) { return os.Lstat(filepath.Join(e.in, e.text)) }

// stored tells of a new object, whose key ends with a slash if it is a folder.
func (d *durableStore) stored(bucket, key string) {
	top := filepath.Join(d.objects, bucket)
	d.names.add(top, filepath.Join(top, filepath.FromSlash(path.Clean(key))), strings.HasSuffix(key, "/"))
}
