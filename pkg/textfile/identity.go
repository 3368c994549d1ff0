package textfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// NewFileID returns a file's id, a UUIDv7, so that lists in the order of ids are in
// the order of time.
func NewFileID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", fmt.Errorf("file id: %w", err)
	}
	return id.String(), nil
}

// ErrForeignKey says that an object key is not that of an uploaded file.
var ErrForeignKey = errors.New("not the object of an uploaded file")

// Reservation is what a client said about its upload. The table has no attributes
// for it, so the object key carries it: files/<fileId>/<size>-<fingerprint>, with
// "streamed" for a size that is not known beforehand, and with -<idempotency key>
// where one was sent. The key is plain; the file's name is only hashed into it.
type Reservation struct {
	FileName    string
	ContentType string
	SHA256      string // as given, may be empty
	Size        int64  // bytes; negative when not known beforehand
	// Key is the KeyHash of the upload's idempotency key; empty without one.
	Key string
}

// ObjectPrefix begins the keys of all objects of uploaded files.
const ObjectPrefix = "files/"

const streamed = "streamed"

// ObjectKey is where the bytes of the reservation are kept. Two reservations
// of one file that differ have different keys.
func (r Reservation) ObjectKey(fileID string) string {
	size := streamed
	if r.Size >= 0 {
		size = strconv.FormatInt(r.Size, 10)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{r.FileName, r.ContentType, r.SHA256, size}, "\x00")))
	key := ObjectPrefix + fileID + "/" + size + "-" + hex.EncodeToString(sum[:16])
	if r.Key != "" {
		key += "-" + r.Key
	}
	return key
}

// KeyHash returns what stands for an owner's idempotency key in the table and in
// object keys.
func KeyHash(ownerID, idempotencyKey string) string {
	sum := sha256.Sum256([]byte(ownerID + "\x00" + idempotencyKey))
	return hex.EncodeToString(sum[:])
}

// keyHash returns the KeyHash that an object key carries, or none.
func keyHash(objectKey string) string {
	_, upload, _ := strings.Cut(strings.TrimPrefix(objectKey, ObjectPrefix), "/")
	parts := strings.SplitN(upload, "-", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}

// ParseObjectKey reads the file's id and the reserved size, negative when it
// was not known, from an object key. It returns ErrForeignKey.
func ParseObjectKey(key string) (fileID string, size int64, err error) {
	rest, ours := strings.CutPrefix(key, ObjectPrefix)
	fileID, upload, two := strings.Cut(rest, "/")
	reserved, _, dashed := strings.Cut(upload, "-")
	// Other spellings of a UUID than the one that ObjectKey writes are foreign.
	id, err := uuid.Parse(fileID)
	if !ours || !two || !dashed || err != nil || id.String() != fileID {
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
