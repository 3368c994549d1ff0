package identity

import (
	"context"
	"errors"
	"time"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

const badKey = "The API key does not exist, has expired or was revoked."

// byKey returns the caller of a request with an API key.
func (i *Identity) byKey(ctx context.Context, token string) (web.Caller, error) {
	id, secret, ok := parseKey(token)
	if !ok {
		return web.Caller{}, refused(badKey)
	}
	return i.ofKey(ctx, id, hashOf(secret))
}

// ofKey returns the caller of a key if hash is the hash of one of its secrets.
func (i *Identity) ofKey(ctx context.Context, id, hash string) (web.Caller, error) {
	key, err := i.key(ctx, id)
	if err != nil {
		return web.Caller{}, err
	}
	now := i.now()
	if !key.accepts(hash, now) || !key.Valid(now) {
		return web.Caller{}, refused(badKey)
	}
	i.note(ctx, id)
	caller := key.caller()
	caller.Credential.Check = func(ctx context.Context) error {
		_, err := i.ofKey(ctx, id, hash)
		return err
	}
	return caller, nil
}

// key returns a key that was read at most KeyAge ago, or the zero Key if there is none.
func (i *Identity) key(ctx context.Context, id string) (Key, error) {
	if key, known := i.known.get(id); known {
		return key, nil
	}
	began := i.now()
	key, err := i.keys.Get(ctx, id)
	switch {
	case errors.Is(err, platform.ErrNotFound):
		key = Key{}
	case err != nil && ctx.Err() == nil:
		return key, web.Unavailable("API keys cannot be verified at the moment.", time.Second).Because(err)
	case err != nil:
		return key, err
	}
	i.known.put(id, key, began, time.Time{})
	return key, nil
}

// note records the use of a key unless a recent use is recorded. An error is logged and does not fail the request.
func (i *Identity) note(ctx context.Context, id string) {
	if _, noted := i.used.get(id); noted {
		return
	}
	i.used.put(id, struct{}{}, i.now(), time.Time{})
	if err := i.keys.used(ctx, id); err != nil && ctx.Err() == nil {
		i.log.Warn().Err(err).Str("key", id).Msg("cannot record the use of an API key")
	}
}
