package engine

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/query/search"
)

// Key is the id of an item as it is stored: the 16 bytes of a UUID, or any other id after a zero byte, with another one after it
// if the key would have the length of a UUID.
type Key []byte

var errID = errors.New("an id must not be empty or contain a zero byte")

// KeyOf returns the key of an id.
func KeyOf(id string) (Key, error) {
	if parsed, err := uuid.Parse(id); err == nil && parsed.String() == id {
		return parsed[:], nil
	}
	if id == "" || bytes.IndexByte([]byte(id), 0) >= 0 {
		return nil, fmt.Errorf("%q: %w", id, errID)
	}
	k := append(Key{0}, id...)
	if len(k) == len(uuid.UUID{}) {
		k = append(k, 0)
	}
	return k, nil
}

// ID returns the id of a key.
func (k Key) ID() (string, error) {
	if parsed, err := uuid.FromBytes(k); err == nil {
		return parsed.String(), nil
	}
	if len(k) < 2 || k[0] != 0 {
		return "", search.ErrDamaged
	}
	return string(bytes.Trim(k, "\x00")), nil
}
