package identity

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/identity/oidctest"
	"github.com/assay-project/assay/pkg/web"
)

// withProvider returns an Identity whose provider has the same clock.
func withProvider(t testing.TB) (*Identity, *oidctest.Provider, *clock) {
	t.Helper()
	p, c := oidctest.New(t), newClock()
	p.Now = c.now
	return process(t, documents(t), c, Config{
		Issuer: p.Issuer(), ClientID: p.ClientID, ClientSecret: p.ClientSecret, RoleClaim: "realm.roles", OperatorRole: "boss", GroupClaim: "groups",
	}), p, c
}

func TestTokenIdentifiesItsSubject(t *testing.T) {
	i, p, _ := withProvider(t)
	var met []web.User
	i.introduce = func(_ context.Context, _ string, u web.User) error { met = append(met, u); return nil }
	token := p.Token(t, "ann", map[string]any{
		"groups": []string{"chemists", "staff"}, "realm": map[string]any{"roles": []string{"boss"}}, "given_name": "Ann", "family_name": "Lee",
		"name": "Ann Lee", "preferred_username": "ann", "email": "ann@example.com", "email_verified": true, "picture": "https://example.com/ann.png",
	})
	want := web.User{DisplayName: "Ann Lee", FirstName: "Ann", LastName: "Lee", LoginName: "ann", Email: "ann@example.com", Avatar: "https://example.com/ann.png"}
	for range 2 {
		caller, refused := status(t, i, bearing(t, token))
		if refused != 0 || caller.Owner != OwnerOf(p.Issuer(), "ann") || caller.Credential.User != want ||
			!slices.Equal(caller.Groups(), []string{"chemists", "staff"}) || !slices.Contains(caller.Credential.Roles, web.Operator) {
			t.Fatalf("got status %d, caller %+v, credential %+v, want 0 and the operator ann with 2 groups", refused, caller, caller.Credential)
		}
	}
	if len(met) != 1 || met[0] != want {
		t.Errorf("got introduced users %+v, want only %+v", met, want)
	}
	plain, _ := status(t, i, bearing(t, p.Token(t, "bob", map[string]any{
		"groups": "one", "realm": "boss", "email": "bob@example.com", "email_verified": false, "picture": "javascript:alert(1)",
	})))
	if u := plain.Credential.User; u != (web.User{}) || len(plain.Credential.Roles) != 0 || !slices.Equal(plain.Groups(), []string{"one"}) {
		t.Errorf("got credential %+v, want one without user data and roles, and the group one", plain.Credential)
	}
}

// TestOwnerOfASubject compares OwnerOf with values computed by Python's hashlib and base64.
func TestOwnerOfASubject(t *testing.T) {
	for subject, want := range map[string]string{
		"ann": "475BKC7SQIHJHV5O4WH7LVIYJY",
		"":    "WYIPCS5Y7N575J6RSUXXKHVVQD",
	} {
		if got := OwnerOf("https://id.example.com", subject); got != want {
			t.Errorf("OwnerOf(%q) = %s, want %s", subject, got, want)
		}
	}
}

// TestInvalidTokensAreRejected checks that 10,000 tokens with every kind of fault are rejected.
func TestInvalidTokensAreRejected(t *testing.T) {
	i, p, c := withProvider(t)
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := p.Token(t, "ann", nil)
	if _, refused := status(t, i, bearing(t, good)); refused != 0 {
		t.Fatalf("a valid token: got status %d, want 0", refused)
	}
	claims := func() map[string]any {
		return map[string]any{"iss": p.Issuer(), "sub": "ann", "aud": p.ClientID, "exp": c.now().Add(time.Hour).Unix()}
	}
	public := x509.MarshalPKCS1PublicKey(p.PublicKey())
	unsigned := func(n int) string {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
		body := claims()
		body["n"] = n
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return header + "." + base64.RawURLEncoding.EncodeToString(text) + "."
	}
	forgeries := map[string]func(n int) string{
		"alg none":      unsigned,
		"key confusion": func(n int) string { return oidctest.Sign(t, jose.HS256, public, "key-1", with(claims(), "n", n)) },
		"foreign key":   cycle(func(n int) string { return oidctest.Sign(t, jose.RS256, stranger, "key-1", with(claims(), "n", n)) }),
		"unknown key":   cycle(func(n int) string { return oidctest.Sign(t, jose.RS256, stranger, fmt.Sprint("k", n), claims()) }),
		"no key id":     cycle(func(n int) string { return oidctest.Sign(t, jose.RS256, stranger, "", with(claims(), "n", n)) }),
		"expired": cycle(func(n int) string {
			return p.Token(t, "ann", map[string]any{"exp": c.now().Add(-2 * skew).Unix(), "n": n})
		}),
		"not valid yet": cycle(func(n int) string {
			return p.Token(t, "ann", map[string]any{"nbf": c.now().Add(2 * skew).Unix(), "n": n})
		}),
		"without expiry":   cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"exp": nil, "n": n}) }),
		"endless":          cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"exp": 1e300, "n": n}) }),
		"another audience": cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"aud": []string{"other"}, "n": n}) }),
		"another issuer":   cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"iss": "https://evil.example", "n": n}) }),
		"without subject":  cycle(func(n int) string { return p.Token(t, "", map[string]any{"n": n}) }),
		"another client":   cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"azp": "other", "n": n}) }),
		"logout token":     cycle(func(n int) string { return p.TokenAs(t, "logout+jwt", "ann", map[string]any{"n": n}) }),
		"event":            cycle(func(n int) string { return p.Token(t, "ann", map[string]any{"events": map[string]any{}, "n": n}) }),
		"JSON": cycle(func(n int) string {
			part := strings.Split(p.Token(t, "ann", map[string]any{"n": n}), ".")
			return fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, part[0], part[1], part[2])
		}),
		"changed signature": func(n int) string { at := len(good) - 20 - n%200; return good[:at] + flip(good[at]) + good[at+1:] },
		"truncated":         func(n int) string { return good[:n%len(good)] + "." },
	}
	const each = 10_000/18 + 1
	for name, forge := range forgeries {
		for n := range each {
			if caller, refused := status(t, i, bearing(t, forge(n))); refused != http.StatusUnauthorized || caller.Credential != nil {
				t.Fatalf("%s, token %d: got status %d, caller %+v, want %d and no caller", name, n, refused, caller, http.StatusUnauthorized)
			}
		}
	}
	if _, refused := status(t, i, bearing(t, good)); refused != 0 {
		t.Errorf("a valid token afterwards: got status %d, want 0", refused)
	}
	if reads := p.Reads(); reads > 3 {
		t.Errorf("forged tokens caused %d reads of the keys, want at most 3", reads)
	}
}

func with(claims map[string]any, name string, value any) map[string]any {
	claims[name] = value
	return claims
}

// cycle signs a few tokens and repeats them: signing takes 20 times as long as verifying.
func cycle(make func(n int) string) func(n int) string {
	const few = 8
	var made []string
	return func(n int) string {
		if len(made) < few {
			made = append(made, make(n))
		}
		return made[n%len(made)]
	}
}

func flip(c byte) string {
	if c == 'A' {
		return "B"
	}
	return "A"
}

// TestTypesAndPartiesOfTokens checks which types of tokens are accepted, and the clients to which they were issued.
func TestTypesAndPartiesOfTokens(t *testing.T) {
	i, p, _ := withProvider(t)
	for kind, want := range map[string]int{
		"": 0, "JWT": 0, "jwt": 0, "at+jwt": 0, "application/at+jwt": 0,
		"logout+jwt": 401, "application/logout+jwt": 401, "secevent+jwt": 401, "dpop+jwt": 401, "JOSE": 401,
	} {
		if _, refused := status(t, i, bearing(t, p.TokenAs(t, kind, "ann", nil))); refused != want {
			t.Errorf("a token of the type %q: got status %d, want %d", kind, refused, want)
		}
	}
	own, api := p.Token(t, "ann", map[string]any{"azp": p.ClientID}), p.Token(t, "ann", map[string]any{"azp": "terminal", "aud": "api"})
	if _, refused := status(t, i, bearing(t, own)); refused != 0 {
		t.Errorf("a token for this client: got status %d, want 0", refused)
	}
	i.provider.cfg.Audience = "api" // an API of its own, for which several clients get tokens
	if _, refused := status(t, i, bearing(t, api)); refused != 0 {
		t.Errorf("a token of another client for the audience of the API: got status %d, want 0", refused)
	}
}

func TestClockSkewIsTolerated(t *testing.T) {
	i, p, c := withProvider(t)
	for _, more := range []map[string]any{
		{"exp": c.now().Add(-skew / 2).Unix()}, {"nbf": c.now().Add(skew / 2).Unix()},
	} {
		if _, refused := status(t, i, bearing(t, p.Token(t, "ann", more))); refused != 0 {
			t.Errorf("%v: got status %d, want 0", more, refused)
		}
	}
}

// TestTokenExpires checks that a cached token is not accepted after its expiry.
func TestTokenExpires(t *testing.T) {
	i, p, c := withProvider(t)
	token := p.Token(t, "ann", map[string]any{"exp": c.now().Add(2 * time.Minute).Unix()})
	caller, refused := status(t, i, bearing(t, token))
	if refused != 0 {
		t.Fatalf("got status %d, want 0", refused)
	}
	c.advance(2*time.Minute + skew)
	if _, refused = status(t, i, bearing(t, token)); refused != http.StatusUnauthorized {
		t.Errorf("after its expiry: got status %d, want %d", refused, http.StatusUnauthorized)
	}
	if caller.Credential.Check(t.Context()) == nil {
		t.Error("Check after the expiry: got no error, want one")
	}
}

func TestKeysRotate(t *testing.T) {
	i, p, c := withProvider(t)
	old := p.Token(t, "ann", nil)
	if _, refused := status(t, i, bearing(t, old)); refused != 0 {
		t.Fatalf("got status %d, want 0", refused)
	}
	c.advance(2 * keySetPause)
	p.Rotate(t)
	for name, token := range map[string]string{"new": p.Token(t, "ann", nil), "old": old} {
		if _, refused := status(t, i, bearing(t, token)); refused != 0 {
			t.Errorf("a token of the %s key: got status %d, want 0", name, refused)
		}
	}
	// The old key is withdrawn: its tokens become invalid when the keys are read again.
	p.Rotate(t)
	p.Rotate(t)
	c.advance(keySetAge + retryPause)
	if _, refused := status(t, i, bearing(t, old)); refused != http.StatusUnauthorized {
		t.Errorf("a token of a withdrawn key: got status %d, want %d", refused, http.StatusUnauthorized)
	}
}

// TestOutage checks that known keys remain usable while the provider is unavailable, and that a token that
// cannot be verified is not permanently rejected.
func TestOutage(t *testing.T) {
	i, p, c := withProvider(t)
	p.SetDown(true)
	first := p.Token(t, "ann", map[string]any{"exp": c.now().Add(48 * time.Hour).Unix()})
	if _, refused := status(t, i, bearing(t, first)); refused != http.StatusServiceUnavailable {
		t.Errorf("before the provider was ever reached: got status %d, want %d", refused, http.StatusServiceUnavailable)
	}
	p.SetDown(false)
	c.advance(2 * keySetPause)
	if _, refused := status(t, i, bearing(t, first)); refused != 0 {
		t.Fatalf("after the outage: got status %d, want 0", refused)
	}
	p.SetDown(true)
	c.advance(24 * time.Hour)
	if _, refused := status(t, i, bearing(t, first)); refused != 0 {
		t.Errorf("a known key in an outage: got status %d, want 0", refused)
	}
	p.Rotate(t)
	_, err := i.Authenticate(nil, bearing(t, p.Token(t, "ann", nil)))
	if unavailable, is := err.(interface{ GetHeaders() http.Header }); !is || unavailable.GetHeaders().Get("Retry-After") == "" {
		t.Errorf("a new key in an outage: got error %v, want one with Retry-After", err)
	}
	foreign := p.Token(t, "ann", map[string]any{"aud": "other"})
	if _, refused := status(t, i, bearing(t, foreign)); refused != http.StatusUnauthorized {
		t.Errorf("another audience in an outage: got status %d, want %d", refused, http.StatusUnauthorized)
	}
	p.SetDown(false)
	c.advance(2 * keySetPause)
	if _, refused := status(t, i, bearing(t, p.Token(t, "ann", nil))); refused != 0 {
		t.Errorf("a new key after the outage: got status %d, want 0", refused)
	}
}

func TestUnsafeProviderSettingsAreRejected(t *testing.T) {
	for issuer, audience := range map[string]string{"http://id.example.com": "assay", "id.example.com": "assay", "https://id.example.com": ""} {
		if _, err := New(Config{Issuer: issuer, Audience: audience}, Options{Log: zerolog.Nop()}); err == nil {
			t.Errorf("issuer %s, audience %q: got no error, want one", issuer, audience)
		}
	}
}

// BenchmarkAuthenticate measures requests with a known key or token, and with an unknown token.
func BenchmarkAuthenticate(b *testing.B) {
	i, p, _ := withProvider(b)
	_, key := create(b, i, anna())
	for name, token := range map[string]string{"key": key, "token": p.Token(b, "ann", nil)} {
		r := bearing(b, token)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := i.Authenticate(nil, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	token := p.Token(b, "bob", nil)
	b.Run("first use of a token", func(b *testing.B) {
		for b.Loop() {
			if _, err := i.provider.verify(b.Context(), token, p.ClientID); err != nil {
				b.Fatal(err)
			}
		}
	})
}
