package webhook

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/assay-project/assay/pkg/platform"
)

// ErrNotFound means that the owner has no endpoint with the id.
var ErrNotFound = errors.New("the owner has no endpoint with this id")

// Endpoints stores endpoints. It is safe for concurrent use.
type Endpoints struct {
	documents *platform.Store

	mu   sync.Mutex
	aead cipher.AEAD
}

// NewEndpoints returns the endpoints in the table of documents.
func NewEndpoints(documents *platform.Store) *Endpoints { return &Endpoints{documents: documents} }

// Put stores an endpoint. version is that of the document that was read, or 0 for a new one. It returns platform.ErrChanged if the
// endpoint has changed since.
func (s *Endpoints) Put(ctx context.Context, e Endpoint, version int64) error {
	return s.documents.PutJSON(ctx, platform.Endpoints+e.Owner, e.ID, version, e)
}

// Get reads an endpoint of an owner, and the version of its document. It returns ErrNotFound if there is none.
func (s *Endpoints) Get(ctx context.Context, owner, id string) (e Endpoint, version int64, err error) {
	d, err := s.documents.Get(ctx, platform.Endpoints+owner, id)
	if errors.Is(err, platform.ErrNotFound) {
		return e, 0, ErrNotFound
	}
	if err != nil {
		return e, 0, err
	}
	return e, d.Version, json.Unmarshal([]byte(d.Body), &e)
}

// List returns the endpoints of an owner, by id.
func (s *Endpoints) List(ctx context.Context, owner string) ([]Endpoint, error) {
	documents, err := s.documents.List(ctx, platform.Endpoints+owner)
	if err != nil {
		return nil, err
	}
	all := make([]Endpoint, len(documents))
	for i, d := range documents {
		if err := json.Unmarshal([]byte(d.Body), &all[i]); err != nil {
			return nil, fmt.Errorf("read the endpoint %s: %w", d.Name, err)
		}
	}
	return all, nil
}

// Delete deletes an endpoint of an owner. It succeeds if there is none.
func (s *Endpoints) Delete(ctx context.Context, owner, id string) error {
	return s.documents.Delete(ctx, platform.Endpoints+owner, id)
}

// Healths reads the health of the endpoints of an owner, by their ids.
func (s *Endpoints) Healths(ctx context.Context, owner string) (map[string]Health, error) {
	documents, err := s.documents.List(ctx, platform.EndpointHealth+owner)
	if err != nil {
		return nil, err
	}
	all := map[string]Health{}
	for _, d := range documents {
		h := Health{}
		if err := json.Unmarshal([]byte(d.Body), &h); err != nil {
			return nil, fmt.Errorf("read the health of the endpoint %s: %w", d.Name, err)
		}
		all[d.Name] = h
	}
	return all, nil
}

// Health reads the health of an endpoint.
func (s *Endpoints) Health(ctx context.Context, e Endpoint) (h Health, version int64, err error) {
	d, err := s.documents.Get(ctx, platform.EndpointHealth+e.Owner, e.ID)
	if errors.Is(err, platform.ErrNotFound) {
		return h, 0, nil
	}
	if err != nil {
		return h, 0, err
	}
	if err := json.Unmarshal([]byte(d.Body), &h); err != nil {
		return h, 0, fmt.Errorf("read the health of the endpoint %s: %w", e.ID, err)
	}
	return e.Current(h), d.Version, nil
}

// PutHealth stores the health of an endpoint, like Put.
func (s *Endpoints) PutHealth(ctx context.Context, e Endpoint, h Health, version int64) error {
	return s.documents.PutJSON(ctx, platform.EndpointHealth+e.Owner, e.ID, version, h)
}

// Seal encrypts a secret of an endpoint, with a key of the table that the first call creates.
func (s *Endpoints) Seal(ctx context.Context, endpointID, secret string) (string, error) {
	aead, err := s.cipher(ctx, s.documents.MakeSecret)
	if err != nil {
		return "", fmt.Errorf("seal a secret of %s: %w", endpointID, err)
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, []byte(secret), []byte(endpointID))), nil
}

// Unseal decrypts a secret of an endpoint.
func (s *Endpoints) Unseal(ctx context.Context, endpointID, sealed string) (string, error) {
	aead, err := s.cipher(ctx, s.documents.Secret)
	if err != nil {
		return "", fmt.Errorf("unseal a secret of %s: %w", endpointID, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		raw, err = aead.Open(nil, nil, raw, []byte(endpointID))
	}
	if err != nil {
		return "", fmt.Errorf("unseal a secret of %s: %w", endpointID, err)
	}
	return string(raw), nil
}

// cipher returns the cipher of secrets, whose key read returns.
func (s *Endpoints) cipher(ctx context.Context, read func(ctx context.Context, partition, name string) ([]byte, error)) (cipher.AEAD, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aead != nil {
		return s.aead, nil
	}
	key, err := read(ctx, platform.EndpointKeys, "secrets")
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err == nil {
		s.aead, err = cipher.NewGCMWithRandomNonce(block)
	}
	return s.aead, err
}
