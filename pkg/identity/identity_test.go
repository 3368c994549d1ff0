package identity

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
	"github.com/assay-project/assay/pkg/web"
)

// clock is a clock that tests set. It is safe for concurrent use.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.UnixMilli(c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(d.Milliseconds()) }

func documents(t testing.TB) *platform.Store {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return platform.NewStore(db, cfg)
}

// process returns the Identity of a process that uses the clock c.
func process(t testing.TB, store *platform.Store, c *clock, cfg Config) *Identity {
	t.Helper()
	i, err := New(cfg, Options{Documents: store, Log: zerolog.Nop(), Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func newClock() *clock {
	c := &clock{}
	c.at.Store(time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func bearing(t testing.TB, token string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/me", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// status returns the caller of a request and the status of the problem, or 0.
func status(t testing.TB, i *Identity, r *http.Request) (web.Caller, int) {
	t.Helper()
	caller, err := i.Authenticate(httptest.NewRecorder(), r)
	if err == nil {
		return caller, 0
	}
	p, is := errors.AsType[*web.Problem](err)
	if !is {
		t.Fatalf("got error %v, want a problem", err)
	}
	return caller, p.Status
}

func create(t testing.TB, i *Identity, terms Terms) (Key, string) {
	t.Helper()
	key, token, err := i.keys.Create(t.Context(), terms)
	if err != nil {
		t.Fatal(err)
	}
	return key, token
}

func anna() Terms { return Terms{Owner: "anna", Scopes: []web.Scope{web.WriteScope, web.ReadScope}} }

func TestKeyIdentifiesItsOwner(t *testing.T) {
	store, c := documents(t), newClock()
	i := process(t, store, c, Config{})
	terms := anna()
	terms.Expires = time.Hour
	key, token := create(t, i, terms)
	caller, refused := status(t, i, bearing(t, token))
	if refused != 0 || caller.Owner != "anna" || caller.Credential.ID != key.ID || len(caller.Credential.Scopes) != 2 || len(caller.Credential.Roles) != 0 {
		t.Errorf("got caller %+v, credential %+v, status %d, want anna with key %s, 2 scopes and no roles", caller, caller.Credential, refused, key.ID)
	}
	d, err := store.Get(t.Context(), platform.Keys, key.ID)
	if _, secret, _ := parseKey(token); err != nil || strings.Contains(d.Body, secret) {
		t.Errorf("got stored key %s, error %v, want one without the secret", d.Body, err)
	}
	c.advance(time.Hour)
	if _, refused := status(t, i, bearing(t, token)); refused != http.StatusUnauthorized {
		t.Errorf("an expired key: got status %d, want %d", refused, http.StatusUnauthorized)
	}
}

func TestForgedKeys(t *testing.T) {
	i := process(t, documents(t), newClock(), Config{})
	_, token := create(t, i, anna())
	other, _ := create(t, i, anna())
	_, secret, _ := parseKey(token)
	for name, forged := range map[string]string{
		"another secret": token[:len(token)-1] + map[bool]string{true: "b", false: "a"}[strings.HasSuffix(token, "a")],
		"another id":     keyPrefix + other.ID + "_" + secret,
		"an unknown id":  keyPrefix + strings.Repeat("a", 16) + "_" + secret,
		"no secret":      keyPrefix + other.ID + "_",
		"hash as secret": keyPrefix + other.ID + "_" + other.Hash,
		"upper case":     strings.ToUpper(token),
		"too long":       token + strings.Repeat("a", maxToken),
		"not a key":      "abc",
	} {
		if caller, refused := status(t, i, bearing(t, forged)); refused != http.StatusUnauthorized || caller.Credential != nil {
			t.Errorf("%s: got status %d, caller %+v, want %d and no caller", name, refused, caller, http.StatusUnauthorized)
		}
	}
	for name, header := range map[string]string{"basic": "Basic " + token, "no token": "Bearer", "empty token": "Bearer  "} {
		r := bearing(t, "")
		r.Header.Set("Authorization", header)
		if _, refused := status(t, i, r); refused != http.StatusUnauthorized {
			t.Errorf("%s: got status %d, want %d", name, refused, http.StatusUnauthorized)
		}
	}
	twice := bearing(t, token)
	twice.Header.Add("Authorization", "Bearer "+token)
	if _, refused := status(t, i, twice); refused != http.StatusUnauthorized {
		t.Errorf("two headers: got status %d, want %d", refused, http.StatusUnauthorized)
	}
}

// TestRevokedKeyIsRejectedEverywhere checks that no process accepts a revoked key for longer than KeyAge, and that
// KeyAge leaves enough of the promised 5 seconds for the check of a live stream.
func TestRevokedKeyIsRejectedEverywhere(t *testing.T) {
	store, c := documents(t), newClock()
	processes := []*Identity{process(t, store, c, Config{}), process(t, store, c, Config{}), process(t, store, c, Config{})}
	key, token := create(t, processes[0], anna())
	var check []func() error
	for n, p := range processes {
		c.advance(KeyAge / 5) // the processes read the key at different times
		caller, refused := status(t, p, bearing(t, token))
		if refused != 0 {
			t.Fatalf("process %d: got status %d, want 0", n, refused)
		}
		check = append(check, func() error { return caller.Credential.Check(t.Context()) })
	}
	if _, err := processes[0].keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	c.advance(KeyAge)
	for n, p := range processes {
		if _, refused := status(t, p, bearing(t, token)); refused != http.StatusUnauthorized {
			t.Errorf("process %d: got status %d, want %d", n, refused, http.StatusUnauthorized)
		}
		if check[n]() == nil {
			t.Errorf("process %d: Check of the revoked key: got no error, want one", n)
		}
	}
	if KeyAge > 3*time.Second {
		t.Errorf("a key is cached for %s, want at most 3s", KeyAge)
	}
}

func TestRotatedKeyHasAGracePeriod(t *testing.T) {
	c := newClock()
	i := process(t, documents(t), c, Config{})
	key, old := create(t, i, anna())
	for _, grace := range []time.Duration{0, time.Hour} {
		_, token, err := i.keys.Rotate(t.Context(), key.ID, grace)
		if err != nil {
			t.Fatal(err)
		}
		c.advance(KeyAge)
		if _, refused := status(t, i, bearing(t, token)); refused != 0 {
			t.Errorf("the new token: got status %d, want 0", refused)
		}
		if _, refused := status(t, i, bearing(t, old)); (refused == 0) != (grace > 0) {
			t.Errorf("the old token with a grace period of %s: got status %d, want 0 only during a grace period", grace, refused)
		}
		c.advance(grace)
		if _, refused := status(t, i, bearing(t, old)); refused != http.StatusUnauthorized {
			t.Errorf("the old token after %s: got status %d, want %d", grace, refused, http.StatusUnauthorized)
		}
		old = token
	}
	if _, err := i.keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := i.keys.Rotate(t.Context(), key.ID, 0); !errors.Is(err, ErrKeyEnded) {
		t.Errorf("Rotate of a revoked key: got error %v, want ErrKeyEnded", err)
	}
}

func TestListReturnsTheLastUse(t *testing.T) {
	c := newClock()
	i := process(t, documents(t), c, Config{})
	if first, _, err := i.keys.CreateFirst(t.Context()); err != nil || !first.Operator {
		t.Fatalf("got %+v, error %v, want an operator's key", first, err)
	}
	if _, _, err := i.keys.CreateFirst(t.Context()); !errors.Is(err, ErrKeys) {
		t.Errorf("CreateFirst with an existing key: got error %v, want ErrKeys", err)
	}
	c.advance(time.Second)
	_, token := create(t, i, anna())
	used := c.now()
	for range 3 {
		if _, refused := status(t, i, bearing(t, token)); refused != 0 {
			t.Fatalf("got status %d, want 0", refused)
		}
		c.advance(useAge / 4)
	}
	keys, err := i.keys.List(t.Context(), "")
	if err != nil || len(keys) != 2 || keys[0].Owner != "anna" || !keys[0].LastUsedAt.Equal(used) || !keys[1].LastUsedAt.IsZero() {
		t.Errorf("got %+v, error %v, want anna's key, last used at %s, and an unused one", keys, err, used)
	}
	if keys, err = i.keys.List(t.Context(), "anna"); err != nil || len(keys) != 1 {
		t.Errorf("got %+v, error %v, want 1 key", keys, err)
	}
}
