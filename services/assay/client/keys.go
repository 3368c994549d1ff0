package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Me is the caller as authenticated by the server.
type Me struct {
	Owner     string    `json:"owner,omitempty"`
	Proven    bool      `json:"proven"`
	Kind      string    `json:"kind,omitempty"` // key or oidc
	KeyID     string    `json:"keyId,omitempty"`
	Scopes    []string  `json:"scopes,omitempty"`
	Operator  bool      `json:"operator"`
	Groups    []string  `json:"groups,omitempty"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Quotas    Quotas    `json:"quotas"`
	Usage
}

// Me returns the caller as authenticated by the server.
func (c *Client) Me(ctx context.Context) (Me, error) {
	var me Me
	err := c.do(ctx, call{method: http.MethodGet, path: join("me")}, &me)
	return me, err
}

// SignIn states how callers prove who they are.
type SignIn struct {
	Auth  string `json:"auth"`  // none or token
	Owner string `json:"owner"` // that browsers on this machine use by default; may be empty
}

// SignIn returns how callers of the server sign in.
func (c *Client) SignIn(ctx context.Context) (SignIn, error) {
	var how SignIn
	err := c.do(ctx, call{method: http.MethodGet, path: join("session")}, &how)
	return how, err
}

// Key is an API key without its secret. Calls for keys are available only at a server's operator address.
type Key struct {
	ID         string    `json:"id"`
	Owner      string    `json:"owner"`
	Name       string    `json:"name,omitempty"`
	Scopes     []string  `json:"scopes"`
	Operator   bool      `json:"operator"`
	Status     string    `json:"status"` // active, expired or revoked
	CreatedAt  time.Time `json:"createdAt"`
	ExpiresAt  time.Time `json:"expiresAt,omitzero"`
	RotatedAt  time.Time `json:"rotatedAt,omitzero"`
	RevokedAt  time.Time `json:"revokedAt,omitzero"`
	LastUsedAt time.Time `json:"lastUsedAt,omitzero"` // accurate to about a minute; only in lists
}

// NewKey is a key with its token, which the server does not show again.
type NewKey struct {
	Key
	Token string `json:"token"`
}

// KeyTerms describes a new key.
type KeyTerms struct {
	Owner     string   `json:"owner"`
	Name      string   `json:"name,omitempty"`
	Scopes    []string `json:"scopes,omitempty"` // read, write; empty means both
	Operator  bool     `json:"operator,omitempty"`
	ExpiresIn string   `json:"expiresIn,omitempty"` // such as 2160h; empty means never
}

// CreateKey creates an API key. It is not retried after a broken connection, because the key may have been created.
func (c *Client) CreateKey(ctx context.Context, terms KeyTerms) (NewKey, error) {
	var key NewKey
	err := c.do(ctx, call{method: http.MethodPost, path: join("keys"), body: terms, once: true}, &key)
	return key, err
}

// Keys returns the API keys of an owner, or of all owners if owner is empty, newest first.
func (c *Client) Keys(ctx context.Context, owner string) ([]Key, error) {
	op := call{method: http.MethodGet, path: join("keys"), query: url.Values{}}
	if owner != "" {
		op.query.Set("owner", owner)
	}
	var list struct {
		Keys []Key `json:"keys"`
	}
	err := c.do(ctx, op, &list)
	return list.Keys, err
}

// RotateKey replaces the token of a key. The previous token is accepted for the grace period.
func (c *Client) RotateKey(ctx context.Context, id string, grace time.Duration) (NewKey, error) {
	var key NewKey
	body := map[string]string{"grace": grace.String()}
	err := c.do(ctx, call{method: http.MethodPost, path: join("keys", id, "rotate"), body: body, once: true}, &key)
	return key, err
}

// RevokeKey revokes a key permanently.
func (c *Client) RevokeKey(ctx context.Context, id string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("keys", id)}, nil)
}
