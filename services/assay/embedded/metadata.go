package embedded

import (
	"os"
	"strings"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
)

// metadata is the store for the attributes of objects and buckets. It adds the checksums of an object
// to its ETag, so that no object without checksums gets a name, and keeps the copies of the attributes up to date.
type metadata struct {
	meta.MetadataStorer
	copies *metadataCopies
}

// isTemporary reports whether a name is that of an upload in progress or one of its parts.
func isTemporary(object string) bool { return strings.HasPrefix(object, posix.MetaTmpDir+"/") }

// StoreAttribute stores an attribute. The gateway passes the file of an object that has no name yet.
func (m *metadata) StoreAttribute(f *os.File, bucket, object, name string, value []byte) error {
	store := func() error { return m.MetadataStorer.StoreAttribute(f, bucket, object, name, value) }
	switch {
	case isTemporary(object):
		return store()
	case f == nil:
		return m.copies.update(bucket, object, func(attributes map[string][]byte) { attributes[name] = value }, store)
	}
	err := m.storeUnnamed(f, bucket, object, name, value)
	if err == nil && name == etagAttribute {
		var sums []byte
		if sums, err = sumsOf(f); err == nil {
			err = m.storeUnnamed(f, bucket, object, sumsAttribute, sums)
		}
	}
	if err != nil {
		return err
	}
	return m.copies.stage(f, bucket, object)
}

// storeUnnamed stores an attribute of a new object whose file has no name yet. The file with a large value (see
// attributes) replaces that of the present object, so it is marked first: if the process is killed before the new object
// has its name, the next start restores the value from the copy.
func (m *metadata) storeUnnamed(f *os.File, bucket, object, name string, value []byte) error {
	if len(value) > inlineAttribute {
		if err := m.copies.mark(f, bucket, object); err != nil {
			return err
		}
	}
	return m.MetadataStorer.StoreAttribute(f, bucket, object, name, value)
}

// DeleteAttribute removes an attribute.
func (m *metadata) DeleteAttribute(bucket, object, name string) error {
	remove := func() error { return m.MetadataStorer.DeleteAttribute(bucket, object, name) }
	if isTemporary(object) {
		return remove()
	}
	return m.copies.update(bucket, object, func(attributes map[string][]byte) { delete(attributes, name) }, remove)
}
