// Package offcrypto decrypts Office documents that open without a password. Excel encrypts a protected workbook with a known
// password, which every reader tries first, even if its author has set no password to open it ([MS-OFFCRYPTO], 2.3.4).
package offcrypto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/richardlehane/mscfb"
)

// defaultPassword is the password of workbooks that open without one ([MS-OFFCRYPTO], 2.4.2.3).
const defaultPassword = "VelvetSweatshop"

// Errors of Decrypt.
var (
	// ErrNotEncrypted means that a file is not an encrypted Office document.
	ErrNotEncrypted = errors.New("not an encrypted Office document")
	// ErrPassword means that a document needs a password to open.
	ErrPassword = errors.New("the document needs a password")
	// ErrTooLarge means that a document is larger than MaxSize.
	ErrTooLarge = errors.New("the encrypted document is too large")
)

const (
	// MaxSize is the maximum size of a document in bytes. It is decrypted in memory.
	MaxSize = 64 << 20

	maxInfo = 64 << 10 // bytes of the description of the encryption
	maxSpin = 1 << 20  // repetitions of the hash; Office uses 100,000
)

// Decrypt returns the content of an encrypted document. It also returns errors of r.
func Decrypt(r io.ReaderAt, size int64) (content []byte, err error) {
	defer func() {
		if v := recover(); v != nil { // the library indexes slices with values from the file
			err = fmt.Errorf("%w: %v", ErrNotEncrypted, v)
		}
	}()
	compound, err := mscfb.New(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEncrypted, err)
	}
	var info, data []byte
	for entry, err := compound.Next(); err == nil; entry, err = compound.Next() {
		if len(entry.Path) > 0 {
			continue
		}
		switch strings.ToLower(entry.Name) {
		case "encryptioninfo":
			info, err = io.ReadAll(io.LimitReader(entry, maxInfo))
		case "encryptedpackage":
			if entry.Size > MaxSize {
				return nil, ErrTooLarge
			}
			data, err = io.ReadAll(io.LimitReader(entry, MaxSize))
		}
		if err != nil {
			return nil, err
		}
	}
	const sizeBytes = 8
	if len(info) < 8 || len(data) < sizeBytes {
		return nil, ErrNotEncrypted
	}
	length := binary.LittleEndian.Uint64(data)
	decrypt := standard
	if binary.LittleEndian.Uint16(info) == 4 && binary.LittleEndian.Uint16(info[2:]) == 4 {
		decrypt = agile
	}
	content, err = decrypt(info[4:], data[sizeBytes:])
	if err != nil {
		return nil, err
	}
	if length > uint64(len(content)) {
		return nil, fmt.Errorf("%w: its content is cut off", ErrNotEncrypted)
	}
	return content[:length], nil
}

// password returns the default password in UTF-16.
func password() []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, utf16.Encode([]rune(defaultPassword))) // writes to a buffer do not fail
	return b.Bytes()
}

// counted returns a number in the form that is hashed.
func counted(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
