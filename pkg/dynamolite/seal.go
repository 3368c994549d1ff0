package dynamolite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime/debug"
)

// sealSize is the size of the checksum at the start of every value in the file: the
// CRC-32C of the key and the value. Every read verifies it, so that a flipped bit in
// the key or the value is an error. See lookup for keys that are not found.
const sealSize = 4

// ErrDamaged means that an entry of the file fails its checksum. The request that
// reads it fails; others are not affected.
var ErrDamaged = errors.New("the data is damaged: it fails its checksum; restore a backup")

func damaged(key []byte) error { return fmt.Errorf("%w (entry %x)", ErrDamaged, key) }

// seal returns the stored form of a value.
func seal(key, value []byte) []byte {
	return sealIn(key, append(make([]byte, sealSize, sealSize+len(value)), value...))
}

// sealIn writes the checksum to the first bytes of stored, which are reserved for it,
// and returns stored.
func sealIn(key, stored []byte) []byte {
	binary.BigEndian.PutUint32(stored, checksum(key, stored[sealSize:]))
	return stored
}

func checksum(key, value []byte) uint32 {
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, value)
}

// unseal returns the value of a stored form, or ErrDamaged.
func unseal(key, stored []byte) ([]byte, error) {
	if len(stored) < sealSize || binary.BigEndian.Uint32(stored) != checksum(key, stored[sealSize:]) {
		return nil, damaged(key)
	}
	return stored[sealSize:], nil
}

// lookup returns the value of key, or nil if there is none. It reports a missing key
// only if the entries before and after the key's position are intact.
func lookup(bucket *bucket, key []byte) ([]byte, error) {
	cursor := bucket.Cursor()
	next, stored := cursor.Seek(key)
	if next != nil && bytes.Equal(next, key) {
		return unseal(key, stored)
	}
	before := cursor.Prev
	if next == nil {
		before = cursor.Last
	} else if _, err := unseal(next, stored); err != nil || bytes.Compare(next, key) < 0 {
		return nil, damaged(next)
	}
	if last, stored := before(); last != nil {
		if _, err := unseal(last, stored); err != nil || bytes.Compare(last, key) > 0 {
			return nil, damaged(last)
		}
	}
	return nil, nil
}

// guard turns a panic of f into an error: of a *pageError, of a fault in the mapped file,
// or of bbolt, which panics if it detects damage.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if damage, ok := p.(*pageError); ok {
			err = damage
		} else if p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}
