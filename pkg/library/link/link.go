// Package link keeps the key that signs share links. It is made once, by the first service that issues a
// link, and is that of all services.
package link

import (
	"context"
	"errors"
	"sync"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
)

const name = "links"

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
	return i.with(ctx, i.documents.MakeSecret)
}

// Links returns the links with the key. It returns library.ErrLink while no link was ever issued.
func (i *Issuer) Links(ctx context.Context) (*library.Links, error) {
	return i.with(ctx, i.documents.Secret)
}

func (i *Issuer) with(ctx context.Context, secret func(ctx context.Context, partition, name string) ([]byte, error)) (*library.Links, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.links != nil {
		return i.links, nil
	}
	key, err := secret(ctx, platform.LibraryKeys, name)
	if errors.Is(err, platform.ErrNotFound) {
		return nil, library.ErrLink
	}
	if err != nil {
		return nil, err
	}
	i.links, err = library.NewLinks(key)
	return i.links, err
}
