package release

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"aead.dev/minisign"
)

// Names of the files with the checksums of all others.
const (
	Sums      = "SHA256SUMS"
	Signature = Sums + ".minisig"
	PublicKey = "minisign.pub"
)

// sumOf returns the SHA-256 sum of content in hexadecimal.
func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// sumsOf returns the content of SHA256SUMS, in the format of sha256sum.
func sumsOf(sums map[string]string) []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(&out, "%s  %s\n", sums[name], name)
	}
	return out.Bytes()
}

// signer is the key that signs a release. The zero value does not sign.
type signer struct {
	key    minisign.PrivateKey
	public string // for the option -P of minisign; empty without a key
}

// openSigner reads the key of the configuration.
func openSigner(c Config) (signer, error) {
	if c.Key == "" {
		return signer{}, nil
	}
	text, err := os.ReadFile(c.Key)
	if err != nil {
		return signer{}, fmt.Errorf("ASSAY_RELEASE_KEY: %w", err)
	}
	var key minisign.PrivateKey
	if c.Password == "" {
		err = key.UnmarshalText(bytes.TrimSpace(text))
	} else {
		key, err = minisign.DecryptKey(c.Password, bytes.TrimSpace(text))
	}
	if err != nil {
		return signer{}, fmt.Errorf("ASSAY_RELEASE_KEY: %s is no minisign key, or ASSAY_RELEASE_PASSWORD is wrong: %w", c.Key, err)
	}
	public, ok := key.Public().(minisign.PublicKey)
	if !ok {
		return signer{}, errors.New("ASSAY_RELEASE_KEY: the key has no public key")
	}
	return signer{key, public.String()}, nil
}

// sign returns the signature of a message. It contains no time, so that it is the same for each build of a release.
func (s signer) sign(message []byte, version string) ([]byte, error) {
	r := minisign.NewReader(bytes.NewReader(message))
	var read bytes.Buffer
	if _, err := read.ReadFrom(r); err != nil {
		return nil, err
	}
	return r.SignWithComments(s.key, "assay "+version, "signature of "+Sums), nil
}

// file returns the content of minisign.pub.
func (s signer) file() []byte {
	return []byte("untrusted comment: public key of Assay\n" + s.public + "\n")
}
