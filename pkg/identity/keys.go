package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// ErrKeyEnded means that an API key is revoked or has expired.
var ErrKeyEnded = errors.New("the API key is revoked or has expired")

// ErrKeys means that API keys already exist.
var ErrKeys = errors.New("API keys already exist")

// MaxGrace is the longest time for which the previous secret of a rotated key is accepted.
const MaxGrace = 24 * time.Hour

// Keys creates, lists, rotates and revokes API keys.
type Keys struct {
	documents *platform.Store
	now       func() time.Time
}

// NewKeys returns the keys in a store, using the given clock.
func NewKeys(documents *platform.Store, now func() time.Time) *Keys { return &Keys{documents, now} }

// Terms describes a new key.
type Terms struct {
	Owner    string
	Name     string
	Scopes   []web.Scope
	Operator bool
	Expires  time.Duration // 0 means never
}

// Create creates a key and returns it with its token, which is not stored.
func (k *Keys) Create(ctx context.Context, t Terms) (Key, string, error) {
	if err := web.CheckOwner(t.Owner); err != nil {
		return Key{}, "", fmt.Errorf("owner: %w", err)
	}
	now := k.now().UTC().Truncate(time.Millisecond)
	secret, hash := newSecret()
	key := Key{
		ID: randomText(idSize), Owner: t.Owner, Name: t.Name, Scopes: slices.Compact(slices.Sorted(slices.Values(t.Scopes))),
		Operator: t.Operator, Hash: hash, CreatedAt: now,
	}
	if t.Expires > 0 {
		key.ExpiresAt = now.Add(t.Expires)
	}
	if err := k.put(ctx, key); err != nil {
		return Key{}, "", err
	}
	return key, key.token(secret), nil
}

// CreateFirst creates an operator's key if no key exists. Otherwise it returns ErrKeys.
func (k *Keys) CreateFirst(ctx context.Context) (Key, string, error) {
	found, err := k.documents.List(ctx, platform.Keys)
	if err == nil && len(found) > 0 {
		err = ErrKeys
	}
	if err != nil {
		return Key{}, "", err
	}
	return k.Create(ctx, Terms{Owner: "operator", Name: "first", Scopes: []web.Scope{web.ReadScope, web.WriteScope}, Operator: true})
}

func (k Key) token(secret string) string { return keyPrefix + k.ID + "_" + secret }

// Get reads a key with strong consistency, without the time of its last use. It returns platform.ErrNotFound if the
// key does not exist.
func (k *Keys) Get(ctx context.Context, id string) (Key, error) {
	d, err := k.documents.Get(ctx, platform.Keys, id)
	if err != nil {
		return Key{}, err
	}
	return decode(d)
}

func decode(d platform.Document) (Key, error) {
	key := Key{}
	if err := json.Unmarshal([]byte(d.Body), &key); err != nil {
		return Key{}, fmt.Errorf("API key %s: %w", d.Name, err)
	}
	key.ID, key.version = d.Name, d.Version
	return key, nil
}

// List returns the keys of an owner, or of all owners if owner is empty, newest first, with the times of their last
// use.
func (k *Keys) List(ctx context.Context, owner string) ([]Key, error) {
	found, err := k.documents.List(ctx, platform.Keys)
	if err != nil {
		return nil, err
	}
	uses, err := k.documents.List(ctx, platform.KeyUses)
	if err != nil {
		return nil, err
	}
	used := map[string]string{}
	for _, d := range uses {
		used[d.Name] = d.Body
	}
	var keys []Key
	for _, d := range found {
		key, err := decode(d)
		if err != nil {
			return nil, err
		}
		if at, known := used[key.ID]; known {
			if key.LastUsedAt, err = time.Parse(time.RFC3339, at); err != nil {
				return nil, fmt.Errorf("last use of API key %s: %w", key.ID, err)
			}
		}
		if owner == "" || key.Owner == owner {
			keys = append(keys, key)
		}
	}
	slices.SortStableFunc(keys, func(a, b Key) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return keys, nil
}

// Rotate replaces the secret of a key and returns the new token. The previous secret is accepted for a grace
// period. It returns platform.ErrNotFound if the key does not exist, and ErrKeyEnded if it is revoked or has
// expired.
func (k *Keys) Rotate(ctx context.Context, id string, grace time.Duration) (Key, string, error) {
	secret, hash := newSecret()
	key, err := k.change(ctx, id, func(key *Key) error {
		now := k.now().UTC().Truncate(time.Millisecond)
		if !key.Valid(now) {
			return ErrKeyEnded
		}
		key.PreviousHash, key.PreviousUntil = "", time.Time{}
		if grace > 0 {
			key.PreviousHash, key.PreviousUntil = key.Hash, now.Add(grace)
		}
		key.Hash, key.RotatedAt = hash, now
		return nil
	})
	return key, key.token(secret), err
}

// Revoke revokes a key permanently. It returns platform.ErrNotFound if the key does not exist.
func (k *Keys) Revoke(ctx context.Context, id string) (Key, error) {
	return k.change(ctx, id, func(key *Key) error {
		if key.RevokedAt.IsZero() {
			key.RevokedAt = k.now().UTC().Truncate(time.Millisecond)
		}
		return nil
	})
}

// tries is the maximum number of attempts at a change that conflicts with other changes.
const tries = 5

func (k *Keys) change(ctx context.Context, id string, change func(*Key) error) (Key, error) {
	var err error
	for range tries {
		var key Key
		if key, err = k.Get(ctx, id); err != nil {
			return Key{}, err
		}
		if err = change(&key); err != nil {
			return Key{}, err
		}
		if err = k.put(ctx, key); !errors.Is(err, platform.ErrChanged) {
			return key, err
		}
	}
	return Key{}, err
}

func (k *Keys) put(ctx context.Context, key Key) error {
	return k.documents.PutJSON(ctx, platform.Keys, key.ID, key.version, key)
}

// used records the use of a key.
func (k *Keys) used(ctx context.Context, id string) error {
	at := k.now().UTC().Format(time.RFC3339)
	return k.documents.Set(ctx, platform.KeyUses, platform.Document{Name: id, Body: at})
}
