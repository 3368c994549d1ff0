package offcrypto

import (
	"bytes"
	"crypto/aes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
)

const (
	standardSpin = 50_000
	aes128       = 0x660e // identifiers of algorithms
	aes192       = 0x660f
	aes256       = 0x6610
)

// standard decrypts a document with standard encryption ([MS-OFFCRYPTO], 2.3.4.5 to 2.3.4.9). info begins after the version.
func standard(info, data []byte) ([]byte, error) {
	const before, fixed, verifier = 8, 32, 4 + 16 + 16 + 4 + 32 // bytes
	if len(info) < before {
		return nil, ErrNotEncrypted
	}
	size := int(binary.LittleEndian.Uint32(info[4:]))
	if size < fixed || size > len(info)-before-verifier {
		return nil, ErrNotEncrypted
	}
	header, rest := info[before:before+size], info[before+size:]
	bits := int(binary.LittleEndian.Uint32(header[16:]))
	switch algorithm := binary.LittleEndian.Uint32(header[8:]); {
	case algorithm == aes128 && bits == 128, algorithm == aes192 && bits == 192, algorithm == aes256 && bits == 256:
	default:
		return nil, fmt.Errorf("%w: algorithm %#x with %d bits", errAlgorithm, algorithm, bits)
	}
	salt, input, want := rest[4:20], rest[20:36], rest[40:72]
	h := sha1.New()
	sum := spin(h, salt, standardSpin)
	h.Reset()
	h.Write(sum)
	h.Write(counted(0))
	sum = h.Sum(nil)
	var derived []byte
	for _, pad := range []byte{0x36, 0x5c} {
		block := bytes.Repeat([]byte{pad}, 64)
		for i, b := range sum {
			block[i] ^= b
		}
		hashed := sha1.Sum(block)
		derived = append(derived, hashed[:]...)
	}
	key := derived[:bits/8]
	plain, err := ecb(key, input)
	if err != nil {
		return nil, err
	}
	hashed, err := ecb(key, want)
	if err != nil {
		return nil, err
	}
	if got := sha1.Sum(plain); !bytes.Equal(got[:], hashed[:len(got)]) {
		return nil, ErrPassword
	}
	return ecb(key, data)
}

// ecb decrypts complete blocks; the rest is ignored.
func ecb(key, encrypted []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAlgorithm, err)
	}
	plain := make([]byte, len(encrypted)/aes.BlockSize*aes.BlockSize)
	for at := 0; at < len(plain); at += aes.BlockSize {
		block.Decrypt(plain[at:], encrypted[at:])
	}
	return plain, nil
}
