package embedded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/versity/versitygw/backend/meta"
)

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

// finishOne chooses the copy for one object: the one that was staged for its file, else its present copy, else another of
// the interrupted changes.
func (c *metadataCopies) finishOne(name string, paths []string) error {
	var choices []metadataCopy
	var from []string // the path of each
	for _, path := range append([]string{c.named(name)}, paths...) {
		// A copy that cannot be parsed was being written, so its object has no name yet.
		if one, err := readCopy(path); err == nil && one.local() && copyName(one.Bucket, one.Key) == name {
			choices, from = append(choices, one), append(from, path)
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
	// The replaced object can have the same content, but only the present one has this inode.
	if i := slices.Index(from, c.changes.staged(name, info)); i > 0 {
		choices[0], choices[i] = choices[i], choices[0]
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
