package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/versity/versitygw/backend/meta"
)

// A change to an object and the change to its sheet are two steps, and the process can be killed
// between them. Therefore a sheet that may become valid, or become invalid, is in the directory of
// changes until both steps are done:
//
//	<name>.<inode>  the sheet of a new object, written before the object gets its name
//	<name>.old      the sheet of an object or bucket that is being deleted
//	<name>.new-*    the sheet that follows an update of attributes
//
// where name is that of the sheet. The next start finishes each change: the object that exists
// decides which sheet is valid.

// changes is the directory of changes.
type changes struct {
	dir   string
	locks [256]sync.Mutex // by the last byte of the name of a sheet
}

// lock locks the sheet with this name.
func (c *changes) lock(name string) (unlock func()) {
	n, _ := strconv.ParseUint(name[len(name)-2:], 16, 8) // a name is hexadecimal
	c.locks[n].Lock()
	return c.locks[n].Unlock
}

func (c *changes) path(name, suffix string) string { return filepath.Join(c.dir, name+"."+suffix) }

// stage stores the sheet of a new object whose file has no name yet, once it has an ETag.
func (s *sheets) stage(file *os.File, bucket, key string) error {
	if s.dir == "" {
		return nil
	}
	if _, err := s.meta.RetrieveAttribute(file, bucket, key, etagAttribute); errors.Is(err, meta.ErrNoSuchKey) {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	one, err := s.current(file, bucket, key)
	if err != nil {
		return err
	}
	content, err := one.encode()
	if err != nil {
		return err
	}
	return os.WriteFile(s.changes.path(sheetName(bucket, key), strconv.FormatUint(inodeOf(info), 10)), content, 0o600)
}

// settle makes the staged sheet of an object its sheet. The error is fs.ErrNotExist if the object has
// been deleted.
func (s *sheets) settle(bucket, key string) error {
	if s.dir == "" {
		return nil
	}
	name := sheetName(bucket, key)
	defer s.changes.lock(name)()
	info, err := os.Stat(filepath.Join(s.objects, bucket, filepath.FromSlash(key)))
	if err != nil {
		return err
	}
	err = s.place(s.changes.path(name, strconv.FormatUint(inodeOf(info), 10)), name)
	if errors.Is(err, fs.ErrNotExist) { // a directory, or another request has settled it
		return s.write(bucket, key)
	}
	return err
}

// update changes attributes of an existing object, or of a bucket if key is empty. set applies the
// change to the attributes of the sheet, and store to those of the object.
func (s *sheets) update(bucket, key string, set func(attributes map[string][]byte), store func() error) error {
	if s.dir == "" {
		return store()
	}
	name := sheetName(bucket, key)
	defer s.changes.lock(name)()
	one, err := s.current(nil, bucket, key)
	if err != nil {
		return err
	}
	set(one.Attributes)
	content, err := one.encode()
	if err != nil {
		return err
	}
	next, err := s.changes.create(name, content)
	if err == nil {
		err = store()
	}
	if err != nil {
		_ = os.Remove(next) // otherwise the next start does; the gateway recognizes only unwrapped errors
		return err
	}
	return s.place(next, name)
}

// delete marks the sheet as that of an object that is being deleted, or of a bucket if key is empty.
// The caller then deletes the object, and calls done.
func (s *sheets) delete(bucket, key string) (done func() error, err error) {
	if s.dir == "" {
		return func() error { return nil }, nil
	}
	name := sheetName(bucket, key)
	old := s.changes.path(name, "old")
	defer s.changes.lock(name)()
	if err := os.Rename(s.path(bucket, key), old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return func() error {
		defer s.changes.lock(name)()
		_, err := os.Lstat(filepath.Join(s.objects, bucket, filepath.FromSlash(key)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = removeFile(s.path(bucket, key))
		case err == nil: // it was not deleted, or has been stored again
			err = s.write(bucket, key)
		}
		return errors.Join(err, removeFile(old))
	}, nil
}

// create writes a new file in the directory of changes.
func (c *changes) create(name string, content []byte) (path string, err error) {
	file, err := os.CreateTemp(c.dir, name+".new-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// place makes a file the sheet with this name.
func (s *sheets) place(file, name string) error {
	to := s.named(name)
	err := os.Rename(file, to)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			err = os.Rename(file, to)
		}
	}
	return err
}

// removeFile removes a file. A missing file is not an error.
func removeFile(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// finish finishes the changes that were interrupted when the process was killed.
func (s *sheets) finish() error {
	entries, err := os.ReadDir(s.changes.dir)
	if err != nil {
		return err
	}
	byName := map[string][]string{} // paths, by name of the sheet
	for _, entry := range entries {
		name, _, _ := strings.Cut(entry.Name(), ".")
		byName[name] = append(byName[name], filepath.Join(s.changes.dir, entry.Name()))
	}
	for name, paths := range byName {
		if err := s.finishOne(name, paths); err != nil {
			return err
		}
		for _, path := range paths {
			if err := removeFile(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// finishOne chooses the sheet of one object from its present sheet, which comes first, and those of
// interrupted changes.
func (s *sheets) finishOne(name string, paths []string) error {
	var choices []sheet
	for _, path := range append([]string{s.named(name)}, paths...) {
		// A sheet that cannot be parsed was being written, so its object has no name yet.
		if one, err := readSheet(path); err == nil && one.local() && sheetName(one.Bucket, one.Key) == name {
			choices = append(choices, one)
		}
	}
	if len(choices) == 0 {
		return nil
	}
	bucket, key := choices[0].Bucket, choices[0].Key
	path := filepath.Join(s.objects, bucket, filepath.FromSlash(key))
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(removeFile(s.named(name)), removeUnnamed(path))
	}
	if err != nil {
		return err
	}
	for _, one := range choices {
		fits, err := s.fits(one, path, info)
		if err != nil {
			return err
		}
		if fits {
			if _, err = s.restoreOne(one); err == nil {
				err = s.write(bucket, key)
			}
			return errors.Join(err, removeUnnamed(path))
		}
	}
	return removeUnnamed(path) // the object is damaged
}

// fits reports whether a sheet belongs to the present content of its object. The attributes of the
// object decide, or, in a copy without attributes, the checksums.
func (s *sheets) fits(one sheet, path string, info fs.FileInfo) (bool, error) {
	if !info.Mode().IsRegular() {
		return true, nil
	}
	etag, err := s.meta.RetrieveAttribute(nil, one.Bucket, one.Key, etagAttribute)
	if err == nil && !s.inFiles {
		return string(etag) == string(one.Attributes[etagAttribute]), nil
	}
	if err != nil && !errors.Is(err, meta.ErrNoSuchKey) {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	err = verifySums(file, info.Size(), one.Attributes[sumsAttribute])
	if errors.Is(err, errDamaged) {
		return false, file.Close()
	}
	return err == nil, errors.Join(err, file.Close())
}

// removeUnnamed removes the files that the gateway renames to replace an object, if it was killed
// before it renamed them.
func removeUnnamed(path string) error {
	dir, base := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "."+base+".sgwtmp.") {
			err = errors.Join(err, os.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}
