// Package link stores the secrets with which the library is shown to others: the key that signs share links, and the
// secret on which the ids of nodes depend. The first service that needs one creates it, and all services share it.
package link

import (
	"context"
	"errors"
	"sync"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
)

const name = "links"

// Issuer reads the key on first use. It is safe for concurrent use.
type Issuer struct {
	documents *platform.Store

	mu    sync.Mutex
	links *library.Links
}

// NewIssuer returns an issuer whose key is in the given store.
func NewIssuer(documents *platform.Store) *Issuer { return &Issuer{documents: documents} }

// Make returns the Links with the stored key. It creates the key if there is none.
func (i *Issuer) Make(ctx context.Context) (*library.Links, error) {
	return i.with(ctx, i.documents.MakeSecret)
}

// Links returns the Links with the stored key. It returns library.ErrLink if no link was ever issued.
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
