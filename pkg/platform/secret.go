package platform

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
)

// secretSize is the size of a secret, in bytes.
const secretSize = 32

// Secret reads a secret that all processes share: 32 random bytes. It returns ErrNotFound if it has not been created.
func (s *Store) Secret(ctx context.Context, partition, name string) ([]byte, error) {
	d, err := s.Get(ctx, partition, name)
	if err != nil {
		return nil, err
	}
	secret, err := base64.StdEncoding.DecodeString(d.Body)
	if err != nil {
		return nil, fmt.Errorf("secret %s %s: %w", partition, name, err)
	}
	return secret, nil
}

// MakeSecret is like Secret, but creates the secret if there is none. Concurrent calls return the same secret.
func (s *Store) MakeSecret(ctx context.Context, partition, name string) ([]byte, error) {
	secret, err := s.Secret(ctx, partition, name)
	if !errors.Is(err, ErrNotFound) {
		return secret, err
	}
	made := make([]byte, secretSize)
	_, _ = rand.Read(made) // never fails
	err = s.Put(ctx, partition, Document{Name: name, Body: base64.StdEncoding.EncodeToString(made)})
	if err != nil && !errors.Is(err, ErrChanged) {
		return nil, err
	}
	return s.Secret(ctx, partition, name) // another process may have created it
}
