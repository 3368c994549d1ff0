package embedded

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
)

const (
	// inlineAttribute is the largest value in bytes that is stored in an extended attribute. ext4
	// stores all attributes of a file in one block of 4 KiB, and the list of parts of a multipart
	// upload needs 4.5 bytes per part.
	inlineAttribute = 1 << 10
	// filePrefix is the prefix of an extended attribute whose value is stored in a file. The digest
	// of the value follows.
	filePrefix = "file:"
)

// attributes stores metadata in extended attributes, and values that do not fit there in files. The
// attribute then contains the digest of the value, so that the file of a replaced object is never
// used for the new object.
type attributes struct {
	meta.XattrMeta
	large meta.SideCar
}

// openAttributes returns attributes that store large values in the directory, which it creates.
func openAttributes(large string) (*attributes, error) {
	if err := os.MkdirAll(large, 0o700); err != nil {
		return nil, err
	}
	files, err := meta.NewSideCar(large)
	return &attributes{large: files}, err
}

func (a *attributes) StoreAttribute(f *os.File, bucket, object, name string, value []byte) error {
	if len(value) <= inlineAttribute && !bytes.HasPrefix(value, []byte(filePrefix)) {
		return a.XattrMeta.StoreAttribute(f, bucket, object, name, value)
	}
	if err := a.large.StoreAttribute(f, bucket, object, name, value); err != nil {
		return err
	}
	return a.XattrMeta.StoreAttribute(f, bucket, object, name, digestOf(value))
}

// RetrieveAttribute also returns meta.ErrNoSuchKey if the file with a large value is missing or
// contains another value.
func (a *attributes) RetrieveAttribute(f *os.File, bucket, object, name string) ([]byte, error) {
	value, err := a.XattrMeta.RetrieveAttribute(f, bucket, object, name)
	if err != nil || !bytes.HasPrefix(value, []byte(filePrefix)) {
		return value, err
	}
	large, err := a.large.RetrieveAttribute(f, bucket, object, name)
	if err == nil && !bytes.Equal(digestOf(large), value) {
		return nil, meta.ErrNoSuchKey
	}
	return large, err
}

func (a *attributes) DeleteAttribute(bucket, object, name string) error {
	if err := a.large.DeleteAttribute(bucket, object, name); err != nil && !errors.Is(err, meta.ErrNoSuchKey) {
		return err
	}
	return a.XattrMeta.DeleteAttribute(bucket, object, name)
}

func (a *attributes) DeleteAttributes(bucket, object string) error {
	return a.large.DeleteAttributes(bucket, object)
}

func (a *attributes) RenameObject(bucket, from, to string) error {
	return a.large.RenameObject(bucket, from, to)
}

func digestOf(value []byte) []byte {
	sum := sha256.Sum256(value)
	return []byte(filePrefix + hex.EncodeToString(sum[:]))
}

// openMetadata returns the store for the metadata of the objects, and the directory of its files,
// which must be synced. The store uses extended attributes, or files in dir if they already exist or
// the file system does not support extended attributes.
func openMetadata(dir, objects string) (store *metadata, synced string, err error) {
	only, large := filepath.Join(dir, "attributes"), filepath.Join(dir, "large-attributes")
	copies := &metadataCopies{dir: filepath.Join(dir, "metadata"), objects: objects, changes: changes{dir: filepath.Join(dir, "changes")}}
	if copies.inFiles, err = needsSidecar(objects, only); err != nil {
		return nil, "", err
	}
	if synced = large; copies.inFiles {
		synced = only
		if err = os.MkdirAll(only, 0o700); err == nil {
			copies.meta, err = meta.NewSideCar(only)
		}
	} else {
		copies.meta, err = openAttributes(large)
	}
	return &metadata{MetadataStorer: copies.meta, copies: copies}, synced, err
}

// needsSidecar reports whether metadata is stored in separate files, because it already is or
// because the file system does not support extended attributes.
func needsSidecar(objects, attributes string) (bool, error) {
	if _, err := os.Stat(attributes); err == nil {
		return true, nil
	}
	probe, err := os.CreateTemp(objects, ".probe-*")
	if err != nil {
		return false, err
	}
	unsupported := meta.XattrMeta{}.StoreAttribute(probe, "", "", "probe", []byte("x")) != nil
	return unsupported, errors.Join(probe.Close(), os.Remove(probe.Name()))
}
