package identity

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/assay-project/assay/pkg/platform"
)

// sealer encrypts the values of cookies using a key that all processes share.
type sealer struct {
	documents *platform.Store

	mu   sync.Mutex
	aead cipher.AEAD
}

// open returns the cipher. The function secret returns its key: MakeSecret creates the key if necessary,
// Secret only reads it.
func (s *sealer) open(ctx context.Context, secret func(ctx context.Context, partition, name string) ([]byte, error)) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aead != nil {
		return s.aead, nil
	}
	key, err := secret(ctx, platform.Secrets, "session")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err == nil {
		s.aead, err = cipher.NewGCMWithRandomNonce(block)
	}
	return s.aead, err
}

// seal returns the sealed form of a value for a purpose. It creates the key if there is none.
func (s *sealer) seal(ctx context.Context, purpose string, value any) (string, error) {
	aead, err := s.open(ctx, s.documents.MakeSecret)
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", purpose, err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", purpose, err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return "", fmt.Errorf("seal %s: %w", purpose, err)
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, packed.Bytes(), []byte(purpose))), nil
}

// maxSealed is the maximum size of a decompressed value.
const maxSealed = 64 << 10

// unseal reads a value that was sealed for a purpose. It returns errSession for any other text.
func (s *sealer) unseal(ctx context.Context, purpose, text string, value any) error {
	aead, err := s.open(ctx, s.documents.Secret)
	if errors.Is(err, platform.ErrNotFound) { // no session has been created yet
		return errSession
	}
	if err != nil {
		return fmt.Errorf("unseal %s: %w", purpose, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return errSession
	}
	packed, err := aead.Open(nil, nil, raw, []byte(purpose))
	if err != nil {
		return errSession
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxSealed))
	if err != nil {
		return errSession
	}
	if err := json.Unmarshal(plain, value); err != nil {
		return errSession
	}
	return nil
}
