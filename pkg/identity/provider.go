package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"github.com/assay-project/assay/pkg/web"
)

// errOutage means that the provider did not respond, so a token cannot be verified.
var errOutage = errors.New("the identity provider is unavailable")

const (
	providerWait = 5 * time.Second  // timeout of a request to the provider
	keySetAge    = 5 * time.Minute  // interval between key reads; while they fail, the known keys stay in use
	keySetPause  = time.Second      // minimum interval between key reads for unknown key ids
	retryPause   = 10 * time.Second // minimum interval between key reads after a failure
	maxKeySet    = 1 << 20          // maximum size of the response with the keys, in bytes
)

// provider is the OpenID Connect provider. Its configuration is read on first use, so that a process can start while
// the provider is unavailable.
type provider struct {
	cfg    Config
	client *http.Client
	now    func() time.Time

	fetching sync.Mutex // held while the provider is queried

	mu    sync.Mutex
	found *oidc.Provider // nil until the provider has responded
	keys  []jose.JSONWebKey
	read  time.Time // time of the last successful read of the keys
	tried time.Time // time of the last attempt
	err   error     // error of the last attempt
}

func newProvider(cfg Config, now func() time.Time) (*provider, error) {
	at, err := url.Parse(cfg.Issuer)
	if err != nil || at.Host == "" || at.Scheme != "https" && (at.Scheme != "http" || !web.Loopback(at.Hostname())) {
		return nil, fmt.Errorf("ASSAY_OIDC_ISSUER is %q: must be an https URL, or an http URL on loopback", cfg.Issuer)
	}
	if cfg.Audience == "" {
		cfg.Audience = cfg.ClientID
	}
	if cfg.Audience == "" {
		return nil, errors.New("ASSAY_OIDC_ISSUER is set without ASSAY_OIDC_CLIENT_ID and ASSAY_OIDC_AUDIENCE: set one of them, or tokens for other services would be accepted")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &provider{cfg: cfg, now: now, client: &http.Client{Transport: transport, Timeout: providerWait}}, nil
}

// context returns a context with which go-oidc and oauth2 use the provider's client. It is independent of
// the request that caused a read, because other requests use the result too.
func (p *provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(context.WithoutCancel(ctx), p.client)
}

// keysFor returns the keys with an id, or all keys if the id is empty. It returns no keys if the provider has no
// such key, and errOutage if that cannot be determined.
func (p *provider) keysFor(ctx context.Context, id string) ([]any, error) {
	keys, state := p.cached(id)
	if len(keys) > 0 {
		if state == stale && p.fetching.TryLock() { // other requests use the known keys
			p.fetch(ctx)
			p.fetching.Unlock()
			keys, _ = p.cached(id)
		}
		return keys, nil
	}
	p.fetching.Lock()
	defer p.fetching.Unlock()
	if keys, state = p.cached(id); len(keys) == 0 && state != tried {
		p.fetch(ctx)
		keys, _ = p.cached(id)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(keys) == 0 && p.err != nil {
		return nil, fmt.Errorf("%w: %w", errOutage, p.err)
	}
	return keys, nil
}

// freshness specifies whether the keys must be read again.
type freshness int

const (
	fresh freshness = iota
	stale           // the keys are old
	tried           // the provider was queried recently
)

func (p *provider) cached(id string) (keys []any, state freshness) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range p.keys {
		if id == "" || key.KeyID == id {
			keys = append(keys, key.Key)
		}
	}
	now := p.now()
	switch {
	case now.Sub(p.tried) < keySetPause:
		state = tried
	case now.Sub(p.read) > keySetAge && now.Sub(p.tried) > retryPause:
		state = stale
	}
	return keys, state
}

// fetch reads the provider's keys, and its configuration if it is not known yet. The caller holds fetching.
func (p *provider) fetch(ctx context.Context) {
	began := p.now()
	keys, err := p.readKeys(p.context(ctx))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried, p.err = began, err
	if err == nil {
		p.keys, p.read = keys, began
	}
}

func (p *provider) readKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	var at struct {
		URL string `json:"jwks_uri"`
	}
	if err := found.Claims(&at); err != nil {
		return nil, fmt.Errorf("configuration of the provider: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("keys of the provider: %w", err)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("keys of the provider: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("keys of the provider: status %d", resp.StatusCode)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxKeySet)).Decode(&set); err != nil {
		return nil, fmt.Errorf("keys of the provider: %w", err)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		// Keys of unknown kinds, symmetric keys, and keys for encryption are ignored.
		if key.UnmarshalJSON(raw) == nil && key.IsPublic() && key.Use != "enc" {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// discover returns the provider's configuration. The caller holds fetching, unless the configuration is only used for
// sign-in.
func (p *provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	found := p.found
	p.mu.Unlock()
	if found != nil {
		return found, nil
	}
	found, err := oidc.NewProvider(p.context(ctx), p.cfg.Issuer)
	if err != nil {
		return nil, fmt.Errorf("configuration of the provider: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.found = found
	return found, nil
}

// errIssuer means that a response to a sign-in is not from this provider.
var errIssuer = errors.New("the response to the sign-in is from another issuer")

// answered returns errIssuer unless the iss parameters of a response to a sign-in are those of the provider. RFC 9207: a
// provider that announces the parameter always sends it.
func (p *provider) answered(ctx context.Context, issuers []string) error {
	found, err := p.discover(ctx)
	if err != nil {
		return err
	}
	var metadata struct {
		Sends bool `json:"authorization_response_iss_parameter_supported"`
	}
	if err := found.Claims(&metadata); err != nil {
		return fmt.Errorf("configuration of the provider: %w", err)
	}
	if len(issuers) == 0 && !metadata.Sends || len(issuers) == 1 && issuers[0] == p.cfg.Issuer {
		return nil
	}
	return errIssuer
}

// algorithms lists the accepted signature algorithms. Algorithms with a shared secret are not accepted.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{
		jose.RS256, jose.RS384, jose.RS512, jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512, jose.EdDSA,
	}
}
