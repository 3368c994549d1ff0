package link

import (
	"context"
	"errors"
	"sync"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/platform"
)

const idsName = "ids"

// IDs issues the ids of new nodes. It reads the secret on first use, and creates it if there is none. It is safe for
// concurrent use.
type IDs struct {
	documents *platform.Store
	nodes     *library.Store

	mu     sync.Mutex
	secret []byte
}

// NewIDs returns an issuer whose secret is in documents, for nodes in the given store.
func NewIDs(documents *platform.Store, nodes *library.Store) *IDs {
	return &IDs{documents: documents, nodes: nodes}
}

// New returns the id of a new node. For an idempotency key it always returns the same id per owner: that of
// library.SecretID, or that of library.NewID if an earlier version created a node with it.
func (i *IDs) New(ctx context.Context, owner, idempotencyKey string) (string, error) {
	earlier, err := library.NewID(owner, idempotencyKey)
	if err != nil || idempotencyKey == "" {
		return earlier, err
	}
	if _, err := i.nodes.Get(ctx, earlier); !errors.Is(err, lifecycle.ErrNotFound) {
		return earlier, err
	}
	secret, err := i.read(ctx)
	if err != nil {
		return "", err
	}
	return library.SecretID(secret, owner, idempotencyKey), nil
}

func (i *IDs) read(ctx context.Context) ([]byte, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.secret == nil {
		secret, err := i.documents.MakeSecret(ctx, platform.LibraryKeys, idsName)
		if err != nil {
			return nil, err
		}
		i.secret = secret
	}
	return i.secret, nil
}
