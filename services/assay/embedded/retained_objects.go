package embedded

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/versity/versitygw/backend/posix"
)

// Objects are the buckets and objects as they were at a moment, the mark. Until Close, requests that delete or replace
// objects retain them.
type Objects struct{ store *durableStore }

// ObjectFile is a stored object, or a bucket.
type ObjectFile struct {
	// Bucket and Key identify the object. The key of a bucket itself is empty.
	Bucket, Key string
	// File is the open file with the content. It is nil for a bucket, and for an object whose key ends in a slash. It is
	// closed when the function that has received the object returns.
	File *os.File
	// Size is the size of the content in bytes.
	Size int64
	// Modified and Inode identify the file, with ETag.
	Modified time.Time
	Inode    uint64
	// ETag is the entity tag. It is empty if the metadata of the object is lost.
	ETag string
	// Metadata is the content of the copy of its metadata (docs/production.md), and MetadataPath the path of the copy in
	// the folder of the S3 server.
	Metadata     []byte
	MetadataPath string
}

// Path returns the path of the content in the folder of the S3 server, with slashes.
func (o ObjectFile) Path() string { return "objects/" + o.Bucket + "/" + o.Key }

// Retain sets the mark: until the returned Objects is closed, objects that are deleted or replaced remain readable there.
// It returns ErrRetaining if another mark is set. It takes no longer than one system call for each request in progress.
func (s *S3) Retain() (*Objects, error) {
	err := s.store.retention.begin()
	if err != nil {
		if !errors.Is(err, ErrRetaining) {
			err = errors.Join(err, s.store.retention.end())
		}
		return nil, err
	}
	return &Objects{s.store}, nil
}

// Close forgets the mark.
func (o *Objects) Close() error { return o.store.retention.end() }

// Each calls f for each bucket and object of the mark, until f returns an error. The objects that are in place come first,
// in lexical order of the parts of their paths, then the retained ones. Unfinished uploads in parts are left out.
func (o *Objects) Each(ctx context.Context, f func(ObjectFile) error) error {
	top := o.store.objects
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // removed since its folder was read
			return nil
		case err != nil || path == top:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case entry.IsDir() && entry.Name() == posix.MetaTmpDir:
			return filepath.SkipDir
		case strings.Contains(entry.Name(), ".sgwtmp."): // a name that an object has while it replaces another
			return nil
		}
		local, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		bucket, key, _ := strings.Cut(filepath.ToSlash(local), "/")
		return o.one(path, entry.IsDir(), objectName{bucket, key}, f)
	})
	if err != nil {
		return err
	}
	all, err := o.store.retention.list()
	if err != nil {
		return err
	}
	for name, one := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := o.retained(name, one, f); err != nil {
			return err
		}
	}
	_, err = o.store.retention.list() // an object may have failed to be retained since
	return err
}

// one calls f for an object or bucket in place.
func (o *Objects) one(path string, folder bool, name objectName, f func(ObjectFile) error) (err error) {
	object := ObjectFile{Bucket: name.bucket, Key: name.key}
	if folder {
		if name.key != "" {
			object.Key += "/"
		}
		one, err := o.store.copies.current(nil, name.bucket, name.key)
		if errors.Is(err, fs.ErrNotExist) || err == nil && name.key != "" && one.Attributes[etagAttribute] == nil {
			return nil // not an object
		}
		if err != nil {
			return err
		}
		one.Key = object.Key
		if err := object.describe(one); err != nil {
			return err
		}
		return f(object)
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the retained objects have it, or it was created after the mark
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	one, err := o.store.copies.attributesOf(file, name)
	if !o.store.retention.reach(name) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := object.describe(one); err != nil {
		return err
	}
	return object.open(file, f)
}

// retained calls f for an object that was deleted or replaced since the mark.
func (o *Objects) retained(name objectName, one retained, f func(ObjectFile) error) (err error) {
	file, err := os.Open(one.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	described, err := parseCopy(one.metadata)
	if err != nil {
		return err
	}
	object := ObjectFile{Bucket: name.bucket, Key: name.key}
	if err := object.describe(described); err != nil {
		return err
	}
	return object.open(file, f)
}

// describe sets the metadata.
func (o *ObjectFile) describe(one metadataCopy) (err error) {
	name := copyName(o.Bucket, strings.TrimSuffix(o.Key, "/"))
	one.Key = strings.TrimSuffix(o.Key, "/")
	o.ETag = string(one.Attributes[etagAttribute])
	o.MetadataPath = "metadata/" + name[:2] + "/" + name[2:]
	o.Metadata, err = one.encode()
	return err
}

// open sets what identifies the file, and calls f.
func (o *ObjectFile) open(file *os.File, f func(ObjectFile) error) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	o.File, o.Size, o.Modified, o.Inode = file, info.Size(), info.ModTime(), inodeOf(info)
	return f(*o)
}

// keep gives the file of an object a second name, and returns its metadata. The error is fs.ErrNotExist if there is no
// such object.
func (d *durableStore) keep(name objectName, at string) (metadata []byte, err error) {
	path := d.pathOf(name.bucket, name.key)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist // the walk finds folders, which have no content
	}
	if err := link(path, at); err != nil {
		return nil, err
	}
	file, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	one, err := d.copies.attributesOf(file, name)
	if err == nil {
		metadata, err = one.encode()
	}
	return metadata, errors.Join(err, file.Close())
}

// attributesOf returns the attributes of an open object, which may have been replaced. Attributes that do not fit there are
// in files of the object's name, so those of a replaced object are taken from a copy of its metadata.
func (c *metadataCopies) attributesOf(file *os.File, name objectName) (metadataCopy, error) {
	if c.inFiles {
		return c.current(nil, name.bucket, name.key)
	}
	one, err := c.current(file, name.bucket, name.key)
	if err != nil {
		return one, err
	}
	one.Bucket, one.Key = name.bucket, name.key
	names, err := c.listed(file, name.bucket, name.key)
	if err != nil || len(names) == len(one.Attributes) {
		return one, err
	}
	info, err := file.Stat()
	if err != nil {
		return one, err
	}
	id := copyName(name.bucket, name.key)
	for _, path := range []string{c.named(id), c.changes.path(id, "old"), c.changes.staged(id, info)} {
		stored, err := readCopy(path)
		if err != nil || !bytes.Equal(stored.Attributes[etagAttribute], one.Attributes[etagAttribute]) {
			continue
		}
		for _, attribute := range names {
			if value, ok := stored.Attributes[attribute]; ok && one.Attributes[attribute] == nil {
				one.Attributes[attribute] = value
			}
		}
	}
	return one, nil
}
