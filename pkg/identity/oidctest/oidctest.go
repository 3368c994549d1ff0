// Package oidctest provides an OpenID Connect provider for tests, with its own server or as a handler.
package oidctest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Provider signs in the user that the test sets, and issues tokens. It is safe for concurrent use.
type Provider struct {
	ClientID, ClientSecret string
	// Now returns the time used for tokens.
	Now func() time.Time

	issuer string
	mux    *http.ServeMux
	server *httptest.Server // nil if Open created the provider

	mu     sync.Mutex
	keys   []signer       // newest last
	down   bool           // whether it responds with 503
	user   map[string]any // claims of the next user to sign in
	codes  map[string]code
	number int
	reads  int // number of reads of the keys
}

type signer struct {
	id  string
	key *rsa.PrivateKey
}

// code is an authorization code that has not been exchanged for tokens.
type code struct {
	challenge, redirect string
	claims              map[string]any
}

// Open returns a provider that the caller serves at the URL issuer.
func Open(issuer string) (*Provider, error) {
	p := &Provider{ClientID: "assay", ClientSecret: "of-the-client", Now: time.Now, issuer: issuer, mux: http.NewServeMux(), codes: map[string]code{}}
	p.mux.HandleFunc("GET /.well-known/openid-configuration", p.configuration)
	p.mux.HandleFunc("GET /keys", p.jwks)
	p.mux.HandleFunc("GET /authorize", p.authorize)
	p.mux.HandleFunc("POST /token", p.token)
	return p, p.rotate()
}

// New starts a provider on loopback. It stops at the end of the test.
func New(t testing.TB) *Provider {
	t.Helper()
	p, err := Open("")
	if err != nil {
		t.Fatal(err)
	}
	p.server = httptest.NewServer(p)
	p.issuer = p.server.URL
	t.Cleanup(p.server.Close)
	return p
}

// ServeHTTP implements http.Handler.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	down := p.down
	p.mu.Unlock()
	if down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// Issuer returns the URL of the provider.
func (p *Provider) Issuer() string { return p.issuer }

// Client returns an HTTP client that reaches the provider.
func (p *Provider) Client() *http.Client { return p.server.Client() }

// SetDown sets whether the provider responds with 503.
func (p *Provider) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// SetUser sets the claims of the next user to sign in. They must include sub.
func (p *Provider) SetUser(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.user = claims
}

// Reads returns how often the keys were read.
func (p *Provider) Reads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reads
}

// Rotate creates a new signing key. The previous key remains published.
func (p *Provider) Rotate(t testing.TB) {
	t.Helper()
	if err := p.rotate(); err != nil {
		t.Fatal(err)
	}
}

func (p *Provider) rotate() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.number++
	p.keys = append(p.keys, signer{fmt.Sprint("key-", p.number), key})
	if len(p.keys) > 2 {
		p.keys = p.keys[1:]
	}
	return nil
}

// PublicKey returns the newest public key.
func (p *Provider) PublicKey() *rsa.PublicKey {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &p.keys[len(p.keys)-1].key.PublicKey
}

// Token returns a token for the client, signed with the newest key, with sub and the given claims. A nil claim
// is removed. The token is valid for an hour.
func (p *Provider) Token(t testing.TB, sub string, more map[string]any) string {
	t.Helper()
	token, err := p.Issue(sub, more)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Issue is like Token, for callers without a testing.TB.
func (p *Provider) Issue(sub string, more map[string]any) (string, error) {
	p.mu.Lock()
	newest := p.keys[len(p.keys)-1]
	p.mu.Unlock()
	return sign(jose.RS256, newest.key, newest.id, p.claims(sub, more))
}

// TokenAs is like Token, for a token with another type in its header; empty for none.
func (p *Provider) TokenAs(t testing.TB, kind, sub string, more map[string]any) string {
	t.Helper()
	p.mu.Lock()
	newest := p.keys[len(p.keys)-1]
	p.mu.Unlock()
	token, err := signAs(kind, jose.RS256, newest.key, newest.id, p.claims(sub, more))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (p *Provider) claims(sub string, more map[string]any) map[string]any {
	now := p.Now()
	claims := map[string]any{
		"iss": p.Issuer(), "sub": sub, "aud": p.ClientID, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(claims, more)
	maps.DeleteFunc(claims, func(_ string, v any) bool { return v == nil })
	return claims
}

// Sign returns a token signed with the given key.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) string {
	t.Helper()
	token, err := sign(algorithm, key, id, claims)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func sign(algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) (string, error) {
	return signAs("JWT", algorithm, key, id, claims)
}

func signAs(kind string, algorithm jose.SignatureAlgorithm, key any, id string, claims map[string]any) (string, error) {
	options := &jose.SignerOptions{}
	if kind != "" {
		options = options.WithType(jose.ContentType(kind))
	}
	if id != "" {
		options = options.WithHeader("kid", id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed, err := signer.Sign(text)
	if err != nil {
		return "", err
	}
	return signed.CompactSerialize()
}

func (p *Provider) configuration(w http.ResponseWriter, _ *http.Request) {
	respond(w, map[string]any{
		"issuer": p.Issuer(), "jwks_uri": p.Issuer() + "/keys", "authorization_endpoint": p.Issuer() + "/authorize",
		"token_endpoint": p.Issuer() + "/token", "id_token_signing_alg_values_supported": []string{"RS256"},
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"authorization_response_iss_parameter_supported": true,
	})
}

func (p *Provider) jwks(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	var set jose.JSONWebKeySet
	for _, s := range p.keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: &s.key.PublicKey, KeyID: s.id, Algorithm: "RS256", Use: "sig"})
	}
	respond(w, set)
}

// authorize immediately signs in the user that the test has set, and redirects back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	back, err := url.Parse(query.Get("redirect_uri"))
	if err != nil || query.Get("client_id") != p.ClientID || query.Get("code_challenge_method") != "S256" || query.Get("response_type") != "code" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	claims := maps.Clone(p.user)
	claims["nonce"] = query.Get("nonce")
	name := rand.Text()
	p.codes[name] = code{query.Get("code_challenge"), query.Get("redirect_uri"), claims}
	values := back.Query()
	values.Set("code", name)
	values.Set("state", query.Get("state"))
	values.Set("iss", p.Issuer())
	back.RawQuery = values.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code for tokens. A code can be used only once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	p.mu.Lock()
	given, known := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	newest := p.keys[len(p.keys)-1]
	p.mu.Unlock()
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != p.ClientID || secret != p.ClientSecret || given.redirect != r.FormValue("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != given.challenge {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`)) // fails only if the client has disconnected
		return
	}
	sub, _ := given.claims["sub"].(string)
	var key crypto.Signer = newest.key
	token, err := sign(jose.RS256, key, newest.id, p.claims(sub, given.claims))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	respond(w, map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 3600, "id_token": token})
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // fails only if the client has disconnected
}
