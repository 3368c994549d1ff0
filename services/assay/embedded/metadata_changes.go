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

// A change to the attributes of an object and the change to their copy are two steps, and the process can
// be killed between them. Therefore a copy that may become valid, or become invalid, is in the directory
// of changes until both steps are done:
//
//	<name>.<inode>  the copy for a new object, written before the object gets its name
//	<name>.old      the copy for an object or bucket that is being deleted
//	<name>.new-*    the copy that follows an update of attributes
//
// where name is that of the copy. The next start finishes each change: the object that exists decides
// which copy is valid.

// changes is the directory of changes.
type changes struct {
	dir   string
	locks [256]sync.Mutex // by the last byte of the name of a copy
}

// lock locks the copy with this name.
func (c *changes) lock(name string) (unlock func()) {
	n, _ := strconv.ParseUint(name[len(name)-2:], 16, 8) // a name is hexadecimal
	c.locks[n].Lock()
	return c.locks[n].Unlock
}

func (c *changes) path(name, suffix string) string { return filepath.Join(c.dir, name+"."+suffix) }

// stage stores the copy for a new object whose file has no name yet, once it has an ETag.
func (c *metadataCopies) stage(file *os.File, bucket, key string) error {
	if c.dir == "" {
		return nil
	}
	if _, err := c.meta.RetrieveAttribute(file, bucket, key, etagAttribute); errors.Is(err, meta.ErrNoSuchKey) {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	one, err := c.current(file, bucket, key)
	if err != nil {
		return err
	}
	content, err := one.encode()
	if err != nil {
		return err
	}
	return os.WriteFile(c.changes.path(copyName(bucket, key), strconv.FormatUint(inodeOf(info), 10)), content, 0o600)
}

// settle makes the staged copy for an object its copy. The error is fs.ErrNotExist if the object has
// been deleted.
func (c *metadataCopies) settle(bucket, key string) error {
	if c.dir == "" {
		return nil
	}
	name := copyName(bucket, key)
	defer c.changes.lock(name)()
	info, err := os.Stat(filepath.Join(c.objects, bucket, filepath.FromSlash(key)))
	if err != nil {
		return err
	}
	err = c.place(c.changes.path(name, strconv.FormatUint(inodeOf(info), 10)), name)
	if errors.Is(err, fs.ErrNotExist) { // a directory, or another request has settled it
		return c.write(bucket, key)
	}
	return err
}

// update changes attributes of an existing object, or of a bucket if key is empty. set applies the
// change to the attributes of the copy, and store to those of the object.
func (c *metadataCopies) update(bucket, key string, set func(attributes map[string][]byte), store func() error) error {
	if c.dir == "" {
		return store()
	}
	name := copyName(bucket, key)
	defer c.changes.lock(name)()
	one, err := c.current(nil, bucket, key)
	if err != nil {
		return err
	}
	set(one.Attributes)
	content, err := one.encode()
	if err != nil {
		return err
	}
	next, err := c.changes.create(name, content)
	if err == nil {
		err = store()
	}
	if err != nil {
		_ = os.Remove(next) // otherwise the next start does; the gateway recognizes only unwrapped errors
		return err
	}
	return c.place(next, name)
}

// delete marks the copy as that of an object that is being deleted, or of a bucket if key is empty.
// The caller then deletes the object, and calls done.
func (c *metadataCopies) delete(bucket, key string) (done func() error, err error) {
	if c.dir == "" {
		return func() error { return nil }, nil
	}
	name := copyName(bucket, key)
	old := c.changes.path(name, "old")
	defer c.changes.lock(name)()
	if err := os.Rename(c.path(bucket, key), old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return func() error {
		defer c.changes.lock(name)()
		_, err := os.Lstat(filepath.Join(c.objects, bucket, filepath.FromSlash(key)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = removeFile(c.path(bucket, key))
		case err == nil: // it was not deleted, or has been stored again
			err = c.write(bucket, key)
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

// place makes a file the copy with this name.
func (c *metadataCopies) place(file, name string) error {
	to := c.named(name)
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
func (c *metadataCopies) finish() error {
	entries, err := os.ReadDir(c.changes.dir)
	if err != nil {
		return err
	}
	byName := map[string][]string{} // paths, by name of the copy
	for _, entry := range entries {
		name, _, _ := strings.Cut(entry.Name(), ".")
		byName[name] = append(byName[name], filepath.Join(c.changes.dir, entry.Name()))
	}
	for name, paths := range byName {
		if err := c.finishOne(name, paths); err != nil {
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

// finishOne chooses the copy for one object from its present copy, which comes first, and those of
// interrupted changes.
func (c *metadataCopies) finishOne(name string, paths []string) error {
	var choices []metadataCopy
	for _, path := range append([]string{c.named(name)}, paths...) {
		// A copy that cannot be parsed was being written, so its object has no name yet.
		if one, err := readCopy(path); err == nil && one.local() && copyName(one.Bucket, one.Key) == name {
			choices = append(choices, one)
		}
	}
	if len(choices) == 0 {
		return nil
	}
	bucket, key := choices[0].Bucket, choices[0].Key
	path := filepath.Join(c.objects, bucket, filepath.FromSlash(key))
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(removeFile(c.named(name)), removeUnnamed(path))
	}
	if err != nil {
		return err
	}
	for _, one := range choices {
		fits, err := c.fits(one, path, info)
		if err != nil {
			return err
		}
		if fits {
			if _, err = c.restoreOne(one); err == nil {
				err = c.write(bucket, key)
			}
			return errors.Join(err, removeUnnamed(path))
		}
	}
	return removeUnnamed(path) // the object is damaged
}

// fits reports whether a copy belongs to the present content of its object. The attributes of the
// object decide, or, in a copy without attributes, the checksums.
func (c *metadataCopies) fits(one metadataCopy, path string, info fs.FileInfo) (bool, error) {
	if !info.Mode().IsRegular() {
		return true, nil
	}
	etag, err := c.meta.RetrieveAttribute(nil, one.Bucket, one.Key, etagAttribute)
	if err == nil && !c.inFiles {
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
