package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/versity/versitygw/backend/meta"
)

// A change to the attributes of an object and the change to their copy are two steps, and the process can
// be killed between them. Therefore a copy that may become valid, or become invalid, is in the directory
// of changes until both steps are done:
//
//	<name>.<inode>  the copy for a new object, written before the object gets its name; empty until it has an ETag
//	<name>.old      the copy for an object or bucket that is being deleted
//	<name>.new-*    the copy that follows an update of attributes
//
// where name is that of the copy. The next start finishes each change: the object that exists decides
// which copy is valid.

// changes is the directory of changes.
type changes struct {
	dir   string
	locks [256]sync.Mutex // by the last byte of the name of a copy
	stop  func()          // ends a process between steps in tests
}

// lock locks the copy with this name.
func (c *changes) lock(name string) (unlock func()) {
	n, _ := strconv.ParseUint(name[len(name)-2:], 16, 8) // a name is hexadecimal
	c.locks[n].Lock()
	return c.locks[n].Unlock
}

func (c *changes) path(name, suffix string) string { return filepath.Join(c.dir, name+"."+suffix) }

// staged returns the path of the copy for an object that was new.
func (c *changes) staged(name string, object fs.FileInfo) string {
	return c.path(name, strconv.FormatUint(inodeOf(object), 10))
}

// step is called before each step of a change.
func (c *changes) step() {
	if c.stop != nil {
		c.stop()
	}
}

// stage stores the copy for a new object whose file has no name yet, once it has an ETag.
func (c *metadataCopies) stage(file *os.File, bucket, key string) error {
	if c.dir == "" {
		return nil
	}
	if _, err := c.meta.RetrieveAttribute(file, bucket, key, etagAttribute); errors.Is(err, meta.ErrNoSuchKey) {
		return nil
	}
	one, err := c.current(file, bucket, key)
	if err != nil {
		return err
	}
	content, err := one.encode()
	if err != nil {
		return err
	}
	return c.writeStaged(file, bucket, key, content)
}

// mark makes the next start restore the attributes of the present object, unless the new object whose file has no name
// yet has replaced it.
func (c *metadataCopies) mark(file *os.File, bucket, key string) error {
	if c.dir == "" {
		return nil
	}
	return c.writeStaged(file, bucket, key, nil)
}

func (c *metadataCopies) writeStaged(file *os.File, bucket, key string, content []byte) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	c.changes.step()
	return os.WriteFile(c.changes.staged(copyName(bucket, key), info), content, 0o600)
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
	err = c.place(c.changes.staged(name, info), name)
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
	if err := c.place(next, name); err != nil {
		return err
	}
	return c.supersede(bucket, key)
}

// supersede replaces the copy that was staged for an object and not settled yet, because an update has made it outdated.
func (c *metadataCopies) supersede(bucket, key string) error {
	info, err := os.Stat(filepath.Join(c.objects, bucket, filepath.FromSlash(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	staged := c.changes.staged(copyName(bucket, key), info)
	if _, err := os.Lstat(staged); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := c.write(bucket, key); err != nil {
		return err
	}
	c.changes.step()
	return removeFile(staged)
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
	c.changes.step()
	if err := os.Rename(c.path(bucket, key), old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return func() error {
		defer c.changes.lock(name)()
		c.changes.step()
		_, err := os.Lstat(filepath.Join(c.objects, bucket, filepath.FromSlash(key)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = removeFile(c.path(bucket, key))
		case err == nil: // it was not deleted, or has been stored again
			err = c.write(bucket, key)
		}
		c.changes.step()
		return errors.Join(err, removeFile(old))
	}, nil
}

// create writes a new file in the directory of changes.
func (c *changes) create(name string, content []byte) (path string, err error) {
	c.step()
	file, err := os.CreateTemp(c.dir, name+".new-*")
	if err != nil {
		return "", err
	}
	c.step()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// place makes a file the copy with this name.
func (c *metadataCopies) place(file, name string) error {
	to := c.named(name)
	c.changes.step()
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
