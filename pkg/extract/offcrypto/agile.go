package offcrypto

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"hash"
)

// binaryText is a value in base64.
type binaryText []byte

func (b *binaryText) UnmarshalXMLAttr(a xml.Attr) (err error) {
	*b, err = base64.StdEncoding.DecodeString(a.Value)
	return err
}

// parameters are those of one encryption ([MS-OFFCRYPTO], 2.3.4.10).
type parameters struct {
	BlockSize int        `xml:"blockSize,attr"`
	KeyBits   int        `xml:"keyBits,attr"`
	Cipher    string     `xml:"cipherAlgorithm,attr"`
	Chaining  string     `xml:"cipherChaining,attr"`
	Hash      string     `xml:"hashAlgorithm,attr"`
	Salt      binaryText `xml:"saltValue,attr"`
}

type agileInfo struct {
	Data parameters `xml:"keyData"`
	Keys []struct {
		parameters
		Spin          int        `xml:"spinCount,attr"`
		VerifierInput binaryText `xml:"encryptedVerifierHashInput,attr"`
		VerifierHash  binaryText `xml:"encryptedVerifierHashValue,attr"`
		Key           binaryText `xml:"encryptedKeyValue,attr"`
	} `xml:"keyEncryptors>keyEncryptor>encryptedKey"`
}

// Purposes of keys that are derived from a password ([MS-OFFCRYPTO], 2.3.4.13).
var (
	verifierInput = []byte{0xfe, 0xa7, 0xd2, 0x76, 0x3b, 0x4b, 0x9e, 0x79}
	verifierHash  = []byte{0xd7, 0xaa, 0x0f, 0x6d, 0x30, 0x61, 0x34, 0x4e}
	keyValue      = []byte{0x14, 0x6e, 0x0b, 0xe7, 0xab, 0xac, 0xd0, 0xd6}
)

var errAlgorithm = errors.New("unsupported encryption")

// newHash returns a hash that info names.
func newHash(name string) (func() hash.Hash, error) {
	switch name {
	case "SHA1", "SHA-1":
		return sha1.New, nil
	case "SHA256", "SHA-256":
		return sha256.New, nil
	case "SHA384", "SHA-384":
		return sha512.New384, nil
	case "SHA512", "SHA-512":
		return sha512.New, nil
	}
	return nil, fmt.Errorf("%w: hash %q", errAlgorithm, name)
}

// check returns an error if the parameters are not supported.
func (p parameters) check() error {
	if p.Cipher != "AES" || p.Chaining != "ChainingModeCBC" || p.BlockSize != aes.BlockSize || p.KeyBits != 128 && p.KeyBits != 192 && p.KeyBits != 256 {
		return fmt.Errorf("%w: %s with %s, %d bits", errAlgorithm, p.Cipher, p.Chaining, p.KeyBits)
	}
	return nil
}

// agile decrypts a document with agile encryption. info begins after the version.
func agile(info, data []byte) ([]byte, error) {
	var described agileInfo
	if err := xml.Unmarshal(info[4:], &described); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotEncrypted, err)
	}
	if len(described.Keys) == 0 {
		return nil, ErrPassword // opened by a certificate
	}
	key := described.Keys[0]
	for _, p := range []parameters{described.Data, key.parameters} {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	newKeyHash, err := newHash(key.Hash)
	if err != nil {
		return nil, err
	}
	newDataHash, err := newHash(described.Data.Hash)
	if err != nil {
		return nil, err
	}
	if key.Spin < 0 || key.Spin > maxSpin {
		return nil, fmt.Errorf("%w: %d repetitions of the hash", errAlgorithm, key.Spin)
	}
	spun := spin(newKeyHash(), key.Salt, key.Spin)
	derived := func(purpose, encrypted []byte) ([]byte, error) {
		h := newKeyHash()
		h.Write(spun)
		h.Write(purpose)
		return cbc(sized(h.Sum(nil), key.KeyBits/8), sized(key.Salt, aes.BlockSize), encrypted)
	}
	input, err := derived(verifierInput, key.VerifierInput)
	if err != nil {
		return nil, err
	}
	want, err := derived(verifierHash, key.VerifierHash)
	if err != nil {
		return nil, err
	}
	h := newKeyHash()
	h.Write(input)
	if got := h.Sum(nil); len(want) < len(got) || !bytes.Equal(got, want[:len(got)]) {
		return nil, ErrPassword
	}
	secret, err := derived(keyValue, key.Key)
	if err != nil {
		return nil, err
	}
	secret = sized(secret, described.Data.KeyBits/8)
	const segment = 4096
	content := make([]byte, 0, len(data))
	for n := uint32(0); len(data) > 0; n++ {
		h := newDataHash()
		h.Write(described.Data.Salt)
		h.Write(counted(n))
		part := data[:min(segment, len(data))]
		plain, err := cbc(secret, sized(h.Sum(nil), aes.BlockSize), part)
		if err != nil {
			return nil, err
		}
		content, data = append(content, plain...), data[len(part):]
	}
	return content, nil
}

// spin hashes the password, then the hash with a counter, a number of times.
func spin(h hash.Hash, salt []byte, times int) []byte {
	h.Write(salt)
	h.Write(password())
	sum := h.Sum(nil)
	for n := range times {
		h.Reset()
		h.Write(counted(uint32(n)))
		h.Write(sum)
		sum = h.Sum(sum[:0])
	}
	return sum
}

// sized returns the first n bytes of a value, which is extended with 0x36.
func sized(value []byte, n int) []byte {
	for len(value) < n {
		value = append(value[:len(value):len(value)], 0x36)
	}
	return value[:n]
}

// cbc decrypts complete blocks; the rest is ignored.
func cbc(key, iv, encrypted []byte) ([]byte, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAlgorithm, err)
	}
	plain := make([]byte, len(encrypted)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(plain, encrypted[:len(plain)])
	return plain, nil
}
