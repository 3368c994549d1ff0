package textfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/blob"
)

// NewFileID returns a new file id, a UUIDv7, so that ids sort by time.
func NewFileID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("generate a file id: %w", err)
	}
	return id.String(), nil
}

// Listed returns the time in the id of the file, to the millisecond. Lists are sorted by it. The file is reserved a moment
// later.
func (f File) Listed() time.Time {
	id, err := uuid.Parse(f.FileID)
	if err != nil {
		return f.Created()
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC()
}

// Size returns the reserved size in bytes, or -1 if it was unknown.
func (f File) Size() int64 {
	_, size, err := ParseObjectKey(f.S3Key)
	if err != nil {
		return -1 // there is no object with such a key
	}
	return size
}

// ErrForeignKey means that an object key does not belong to an uploaded file.
var ErrForeignKey = errors.New("not the object of an uploaded file")

// Reservation contains what a client declares about its upload. The table has no attributes for it, so
// it is encoded in the object key: the blob.Key of <fileId>/<size>-<fingerprint>, with "streamed" for an
// unknown size, followed by -<hash> if an idempotency key was sent. The key contains no special
// characters, since the file's name is part of the fingerprint only.
type Reservation struct {
	FileName    string
	ContentType string
	SHA256      string // as declared; may be empty
	Size        int64  // in bytes; negative if unknown
	// Source identifies the content if it is a copy of that of another item, and is empty for an upload. The size is then
	// unknown, and the other fields are not part of the key, so that a repeated request has the same key even if the
	// other item was deleted.
	Source string
	// Key is the KeyHash of the upload's idempotency key; empty without one.
	Key string
}

// ObjectPrefix is the prefix of the keys of all objects of uploaded files.
const ObjectPrefix = "files/"

const streamed = "streamed"

// ObjectKey returns the key of the reservation's object. Different reservations of one file id have
// different keys.
func (r Reservation) ObjectKey(fileID string) string {
	size := streamed
	if r.Size >= 0 {
		size = strconv.FormatInt(r.Size, 10)
	}
	declared := []string{r.FileName, r.ContentType, r.SHA256, size}
	if r.Source != "" {
		declared = []string{"copy", r.Source}
	}
	sum := sha256.Sum256([]byte(strings.Join(declared, "\x00")))
	name := fileID + "/" + size + "-" + hex.EncodeToString(sum[:16])
	if r.Key != "" {
		name += "-" + r.Key
	}
	return blob.Key(ObjectPrefix, name)
}

// KeyHash returns the hash that represents an owner's idempotency key in the table and in object
// keys.
func KeyHash(ownerID, idempotencyKey string) string {
	sum := sha256.Sum256([]byte(ownerID + "\x00" + idempotencyKey))
	return hex.EncodeToString(sum[:])
}

// keyHash returns the KeyHash in an object key, or "".
func keyHash(objectKey string) string {
	name, _ := blob.CutKey(ObjectPrefix, objectKey)
	_, upload, _ := strings.Cut(name, "/")
	parts := strings.SplitN(upload, "-", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}

// ParseObjectKey returns the file's id and the reserved size, negative if it was unknown, from an
// object key. It returns ErrForeignKey for other keys.
func ParseObjectKey(key string) (fileID string, size int64, err error) {
	name, ours := blob.CutKey(ObjectPrefix, key)
	fileID, upload, slashed := strings.Cut(name, "/")
	reserved, _, dashed := strings.Cut(upload, "-")
	// A UUID is accepted only in the form that ObjectKey writes.
	id, err := uuid.Parse(fileID)
	if !ours || !slashed || !dashed || err != nil || id.String() != fileID {
		return "", 0, fmt.Errorf("%q: %w", key, ErrForeignKey)
	}
	if reserved == streamed {
		return fileID, -1, nil
	}
	if size, err = strconv.ParseInt(reserved, 10, 64); err != nil || size < 0 {
		return "", 0, fmt.Errorf("%q: %w", key, ErrForeignKey)
	}
	return fileID, size, nil
}
