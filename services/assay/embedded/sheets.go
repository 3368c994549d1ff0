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

// sheets stores copies of the extended attributes of buckets and objects, one file for each. A backup
// made with a tool that drops extended attributes contains these files, and the first start on the
// restored backup restores the attributes. If the process is killed at any time, each object has its
// old or its new sheet (see changes). The files are not synced: after a power failure the latest may be
// missing, which `assay verify` reports and repairs.
type sheets struct {
	dir     string // cleared by restore if metadata is stored in files anyway
	objects string
	meta    meta.MetadataStorer
	inFiles bool // meta stores attributes in files
	changes changes
}

// sheet is the content of one file. The file begins with the CRC-32C of the JSON in 8 hexadecimal digits.
type sheet struct {
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

// sheetSum is the length of the checksum of a sheet, in bytes.
const sheetSum = 8

// sheetName returns the name of the sheet of an object, or of a bucket if key is empty.
func sheetName(bucket, key string) string {
	sum := sha256.Sum256([]byte(bucket + "/" + key))
	return hex.EncodeToString(sum[:])
}

func (s *sheets) named(name string) string { return filepath.Join(s.dir, name[:2], name[2:]) }

func (s *sheets) path(bucket, key string) string { return s.named(sheetName(bucket, key)) }

// current returns the attributes of an object or bucket. file is the object if it has no name yet,
// otherwise nil.
func (s *sheets) current(file *os.File, bucket, key string) (sheet, error) {
	names, err := s.listed(file, bucket, key)
	if err != nil {
		return sheet{}, err
	}
	one := sheet{Bucket: bucket, Key: key, Attributes: make(map[string][]byte, len(names))}
	for _, name := range names {
		value, err := s.meta.RetrieveAttribute(file, bucket, key, name)
		if errors.Is(err, meta.ErrNoSuchKey) {
			continue // the attribute belongs to a replaced object
		}
		if err != nil {
			return sheet{}, err
		}
		one.Attributes[name] = value
	}
	return one, nil
}

func (s *sheets) listed(file *os.File, bucket, key string) ([]string, error) {
	if file != nil {
		return s.meta.ListAttributes("", file.Name())
	}
	return s.meta.ListAttributes(bucket, key)
}

// encode returns the content of the file with a sheet.
func (one sheet) encode() ([]byte, error) {
	content, err := json.Marshal(one)
	return fmt.Appendf(nil, "%08x%s", crc32.Checksum(content, castagnoli), content), err
}

// local reports whether the object is inside the directory of the objects.
func (one sheet) local() bool {
	return filepath.IsLocal(filepath.Join(one.Bucket, filepath.FromSlash(one.Key)))
}

// write stores a copy of the attributes of an object, or of a bucket if key is empty.
func (s *sheets) write(bucket, key string) error {
	if s.dir == "" {
		return nil
	}
	one, err := s.current(nil, bucket, key)
	if err != nil {
		return err
	}
	content, err := one.encode()
	if err != nil {
		return err
	}
	name := sheetName(bucket, key)
	next, err := s.changes.create(name, content)
	if err != nil {
		return err
	}
	return s.place(next, name)
}

// each calls f for every sheet. A file that cannot be parsed is passed to damaged.
func (s *sheets) each(f func(sheet) error, damaged func(path string, err error) error) error {
	return filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		one, err := readSheet(path)
		if err != nil {
			return damaged(path, err)
		}
		return f(one)
	})
}

func readSheet(path string) (one sheet, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return one, err
	}
	if len(content) < sheetSum || fmt.Sprintf("%08x", crc32.Checksum(content[sheetSum:], castagnoli)) != string(content[:sheetSum]) {
		return one, errors.New("checksum mismatch")
	}
	return one, json.Unmarshal(content[sheetSum:], &one)
}

// restore finishes interrupted changes, and restores attributes that were lost when the directory was
// copied. It returns the number of restored objects and buckets. It then removes multipart uploads in progress, whose state is
// also stored in attributes.
func (s *sheets) restore() (restored int, err error) {
	if err := os.MkdirAll(s.changes.dir, 0o700); err != nil {
		return 0, err
	}
	if err := s.finish(); err != nil {
		return 0, err
	}
	if s.inFiles {
		return s.restoreToFiles()
	}
	xattr, file := meta.XattrMeta{}, filepath.Join(filepath.Dir(s.objects), keptFile)
	_, folders := xattr.RetrieveAttribute(nil, s.objects, "", keptAttribute)
	_, files := xattr.RetrieveAttribute(nil, file, "", keptAttribute)
	if folders == nil && files == nil {
		return 0, os.MkdirAll(s.dir, 0o700)
	}
	if restored, err = s.restoreAll(); err != nil {
		return restored, err
	}
	folder, err := os.Open(s.objects)
	if err != nil {
		return restored, err
	}
	if err := errors.Join(syncFileSystem(folder), folder.Close()); err != nil {
		return restored, err
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return restored, err
	}
	for _, path := range []string{s.objects, file} {
		if err := xattr.StoreAttribute(nil, path, "", keptAttribute, []byte("1")); err != nil {
			return restored, err
		}
	}
	return restored, os.MkdirAll(s.dir, 0o700)
}

// restoreToFiles restores attributes to metadata files after the directory was copied from a system
// with extended attributes. It then removes the sheets, which are no longer needed.
func (s *sheets) restoreToFiles() (restored int, err error) {
	if restored, err = s.restoreAll(); err == nil {
		err = errors.Join(os.RemoveAll(s.dir), os.RemoveAll(s.changes.dir))
	}
	s.dir = ""
	return restored, err
}

func (s *sheets) restoreAll() (restored int, err error) {
	if _, err := os.Stat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	err = s.each(func(one sheet) error {
		changed, err := s.restoreOne(one)
		if changed {
			restored++
		}
		return err
	}, func(string, error) error { return nil })
	return restored, err
}

// restoreOne restores the missing attributes of one object or bucket.
func (s *sheets) restoreOne(one sheet) (changed bool, err error) {
	if !one.local() {
		return false, fmt.Errorf("metadata of %q in bucket %q: the name is outside the directory", one.Key, one.Bucket)
	}
	path := filepath.Join(s.objects, one.Bucket, filepath.FromSlash(one.Key))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for name, value := range one.Attributes {
		_, err := s.meta.RetrieveAttribute(nil, one.Bucket, one.Key, name)
		if !errors.Is(err, meta.ErrNoSuchKey) {
			if err != nil {
				return changed, err
			}
			continue
		}
		if err := s.meta.StoreAttribute(nil, one.Bucket, one.Key, name, value); err != nil {
			return changed, err
		}
		changed = true
	}
	if changed && one.Key == "" {
		return true, os.RemoveAll(filepath.Join(path, posix.MetaTmpMultipartDir))
	}
	return changed, nil
}

// writeBuckets writes the sheets of all buckets.
func (s *sheets) writeBuckets() error {
	if s.dir == "" {
		return nil
	}
	entries, err := os.ReadDir(s.objects)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			err = errors.Join(err, s.write(entry.Name(), ""))
		}
	}
	return err
}
