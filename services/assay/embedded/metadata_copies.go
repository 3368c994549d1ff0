package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
)

// metadataCopies stores copies of the extended attributes of buckets and objects, one file for each. A backup
// made with a tool that drops extended attributes contains these files, and the first start on the
// restored backup restores the attributes. If the process is killed at any time, each object has its
// old or its new copy (see changes). The files are not synced: after a power failure the latest may be
// missing, which `assay verify` reports and repairs.
type metadataCopies struct {
	dir     string // cleared by restore if metadata is stored in files anyway
	objects string
	meta    meta.MetadataStorer
	inFiles bool // meta stores attributes in files
	changes changes
}

// metadataCopy is the content of one file. The file begins with the CRC-32C of the JSON in 8 hexadecimal digits.
type metadataCopy struct {
	Bucket     string            `json:"bucket"`
	Key        string            `json:"key,omitempty"` // empty means the bucket itself
	Attributes map[string][]byte `json:"attributes"`
}

// keptAttribute is an attribute of the objects directory and of the file keptFile next to it. If both
// have it, the last copy of the directory preserved the extended attributes of directories and files.
const (
	keptAttribute = "assay-kept"
	keptFile      = "kept"
)

// copySumSize is the length of the checksum of a copy, in bytes.
const copySumSize = 8

// copyName returns the name of the copy of an object's attributes, or of those of a bucket if key is empty.
func copyName(bucket, key string) string {
	sum := sha256.Sum256([]byte(bucket + "/" + key))
	return hex.EncodeToString(sum[:])
}

func (c *metadataCopies) named(name string) string { return filepath.Join(c.dir, name[:2], name[2:]) }

func (c *metadataCopies) path(bucket, key string) string { return c.named(copyName(bucket, key)) }

// current returns the attributes of an object or bucket. file is the object if it has no name yet,
// otherwise nil.
func (c *metadataCopies) current(file *os.File, bucket, key string) (metadataCopy, error) {
	names, err := c.listed(file, bucket, key)
	if err != nil {
		return metadataCopy{}, err
	}
	one := metadataCopy{Bucket: bucket, Key: key, Attributes: make(map[string][]byte, len(names))}
	for _, name := range names {
		value, err := c.meta.RetrieveAttribute(file, bucket, key, name)
		if errors.Is(err, meta.ErrNoSuchKey) {
			continue // the attribute belongs to a replaced object
		}
		if err != nil {
			return metadataCopy{}, err
		}
		one.Attributes[name] = value
	}
	return one, nil
}

func (c *metadataCopies) listed(file *os.File, bucket, key string) ([]string, error) {
	if file != nil {
		return c.meta.ListAttributes("", file.Name())
	}
	return c.meta.ListAttributes(bucket, key)
}

// encode returns the content of the file with a copy.
func (one metadataCopy) encode() ([]byte, error) {
	content, err := json.Marshal(one)
	return fmt.Appendf(nil, "%08x%s", crc32.Checksum(content, castagnoli), content), err
}

// local reports whether the object is inside the directory of the objects.
func (one metadataCopy) local() bool {
	return filepath.IsLocal(filepath.Join(one.Bucket, filepath.FromSlash(one.Key)))
}

// write stores a copy of the attributes of an object, or of a bucket if key is empty.
func (c *metadataCopies) write(bucket, key string) error {
	if c.dir == "" {
		return nil
	}
	one, err := c.current(nil, bucket, key)
	if err != nil {
		return err
	}
	content, err := one.encode()
	if err != nil {
		return err
	}
	name := copyName(bucket, key)
	next, err := c.changes.create(name, content)
	if err != nil {
		return err
	}
	return c.place(next, name)
}

// each calls f for every copy. A file that cannot be parsed is passed to damaged.
func (c *metadataCopies) each(f func(metadataCopy) error, damaged func(path string, err error) error) error {
	return filepath.WalkDir(c.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		one, err := readCopy(path)
		if err != nil {
			return damaged(path, err)
		}
		return f(one)
	})
}

func readCopy(path string) (one metadataCopy, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return one, err
	}
	return parseCopy(content)
}

// parseCopy is the inverse of encode.
func parseCopy(content []byte) (one metadataCopy, err error) {
	if len(content) < copySumSize || fmt.Sprintf("%08x", crc32.Checksum(content[copySumSize:], castagnoli)) != string(content[:copySumSize]) {
		return one, errors.New("checksum mismatch")
	}
	return one, json.Unmarshal(content[copySumSize:], &one)
}

// restore finishes interrupted changes, and restores attributes that were lost when the directory was
// copied. It returns the number of restored objects and buckets. It then removes multipart uploads in progress, whose state is
// also stored in attributes.
func (c *metadataCopies) restore() (restored int, err error) {
	if err := os.MkdirAll(c.changes.dir, 0o700); err != nil {
		return 0, err
	}
	if err := c.finish(); err != nil {
		return 0, err
	}
	if c.inFiles {
		return c.restoreToFiles()
	}
	xattr, file := meta.XattrMeta{}, filepath.Join(filepath.Dir(c.objects), keptFile)
	_, folders := xattr.RetrieveAttribute(nil, c.objects, "", keptAttribute)
	_, files := xattr.RetrieveAttribute(nil, file, "", keptAttribute)
	if folders == nil && files == nil {
		return 0, os.MkdirAll(c.dir, 0o700)
	}
	if restored, err = c.restoreAll(); err != nil {
		return restored, err
	}
	if err := SyncFolder(c.objects); err != nil {
		return restored, err
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return restored, err
	}
	for _, path := range []string{c.objects, file} {
		if err := xattr.StoreAttribute(nil, path, "", keptAttribute, []byte("1")); err != nil {
			return restored, err
		}
	}
	return restored, os.MkdirAll(c.dir, 0o700)
}

// restoreToFiles restores attributes to metadata files after the directory was copied from a system
// with extended attributes. It then removes the copies, which are no longer needed.
func (c *metadataCopies) restoreToFiles() (restored int, err error) {
	if restored, err = c.restoreAll(); err == nil {
		err = errors.Join(os.RemoveAll(c.dir), os.RemoveAll(c.changes.dir))
	}
	c.dir = ""
	return restored, err
}

func (c *metadataCopies) restoreAll() (restored int, err error) {
	if _, err := os.Stat(c.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	err = c.each(func(one metadataCopy) error {
		changed, err := c.restoreOne(one)
		if changed {
			restored++
		}
		return err
	}, func(string, error) error { return nil })
	return restored, err
}

// restoreOne restores the missing attributes of one object or bucket.
func (c *metadataCopies) restoreOne(one metadataCopy) (changed bool, err error) {
	if !one.local() {
		return false, fmt.Errorf("metadata of %q in bucket %q: the name is outside the directory", one.Key, one.Bucket)
	}
	path := filepath.Join(c.objects, one.Bucket, filepath.FromSlash(one.Key))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for name, value := range one.Attributes {
		_, err := c.meta.RetrieveAttribute(nil, one.Bucket, one.Key, name)
		if !errors.Is(err, meta.ErrNoSuchKey) {
			if err != nil {
				return changed, err
			}
			continue
		}
		if err := c.meta.StoreAttribute(nil, one.Bucket, one.Key, name, value); err != nil {
			return changed, err
		}
		changed = true
	}
	if changed && one.Key == "" {
		return true, os.RemoveAll(filepath.Join(path, posix.MetaTmpMultipartDir))
	}
	return changed, nil
}

// writeBuckets writes copies of the attributes of all buckets.
func (c *metadataCopies) writeBuckets() error {
	if c.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(c.objects)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			err = errors.Join(err, c.write(entry.Name(), ""))
		}
	}
	return err
}
