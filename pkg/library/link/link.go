// Package link keeps the key that signs share links. It is made once, by the first service that issues a
// link, and is that of all services.
package link

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
)

const (
	name    = "links"
	keySize = 32 // bytes
)

// Issuer reads the key when it is first needed. It is safe for concurrent use.
type Issuer struct {
	documents *platform.Store

	mu    sync.Mutex
	links *library.Links
}

// NewIssuer returns the issuer whose key is in the store.
func NewIssuer(documents *platform.Store) *Issuer { return &Issuer{documents: documents} }

// Make returns the links with the key, which it makes if there is none.
func (i *Issuer) Make(ctx context.Context) (*library.Links, error) {
	links, err := i.Links(ctx)
	if !errors.Is(err, library.ErrLink) {
		return links, err
	}
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	made := platform.Document{Name: name, Body: base64.StdEncoding.EncodeToString(key)}
	if err := i.documents.Put(ctx, platform.LibraryKeys, made); err != nil && !errors.Is(err, platform.ErrChanged) {
		return nil, err
	}
	return i.Links(ctx) // another service may have made it
}

// Links returns the links with the key. It returns library.ErrLink while no link was ever issued.
func (i *Issuer) Links(ctx context.Context) (*library.Links, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.links != nil {
		return i.links, nil
	}
	d, err := i.documents.Get(ctx, platform.LibraryKeys, name)
	if errors.Is(err, platform.ErrNotFound) {
		return nil, library.ErrLink
	}
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(d.Body)
	if err != nil {
		return nil, fmt.Errorf("the key of share links: %w", err)
	}
	i.links, err = library.NewLinks(key)
	return i.links, err
}
