package identity

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/web"
)

// site serves the sign-in routes, and a route that returns the owner.
func site(t *testing.T, i *Identity) *httptest.Server {
	t.Helper()
	r := web.NewRouter(web.Options{Log: zerolog.Nop(), Authenticate: i.Authenticate})
	i.Routes(r, true)
	r.Mux.HandleFunc("GET /v1/whoami", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(web.CallerOf(r.Context()).Owner)) // fails only if the client has disconnected
	})
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return server
}

// browser returns a client with cookies.
func browser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func send(t *testing.T, c *http.Client, method, url, body string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func sessionOf(t *testing.T, resp *http.Response) *http.Cookie {
	t.Helper()
	for _, c := range resp.Cookies() {
		if strings.HasSuffix(c.Name, cookieName) {
			return c
		}
	}
	return nil
}

func TestSessionOfAKey(t *testing.T) {
	c := newClock()
	i := process(t, documents(t), c, Config{})
	key, token := create(t, i, anna())
	at, b := site(t, i).URL, browser(t)
	if resp, _ := send(t, b, http.MethodPost, at+"/v1/session", `{"key":"assay_no"}`); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a bad key: got %s, want 401", resp.Status)
	}
	resp, _ := send(t, b, http.MethodPost, at+"/v1/session", `{"key":"`+token+`"}`)
	set := sessionOf(t, resp)
	if resp.StatusCode != http.StatusNoContent || set == nil || !set.HttpOnly || set.SameSite != http.SameSiteStrictMode || set.Secure || strings.Contains(set.Value, "anna") {
		t.Fatalf("got status %s, cookie %+v, want 204 and a hardened session cookie", resp.Status, set)
	}
	if _, owner := send(t, b, http.MethodGet, at+"/v1/whoami", ""); owner != "anna" {
		t.Errorf("got owner %q, want anna", owner)
	}
	c.advance(renewAfter + 1e6)
	resp, _ = send(t, b, http.MethodGet, at+"/v1/whoami", "")
	if renewed := sessionOf(t, resp); renewed == nil || renewed.Value == set.Value {
		t.Errorf("got cookie %+v, want a renewed one", renewed)
	}
	if _, err := i.keys.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	c.advance(KeyAge)
	if resp, _ = send(t, b, http.MethodGet, at+"/v1/whoami", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the key was revoked: got %s, want 401", resp.Status)
	}
}

func TestSessionEnds(t *testing.T) {
	c := newClock()
	i := process(t, documents(t), c, Config{})
	_, token := create(t, i, anna())
	at, b := site(t, i).URL, browser(t)
	signIn := func() *http.Cookie {
		resp, _ := send(t, b, http.MethodPost, at+"/v1/session", `{"key":"`+token+`"}`)
		return sessionOf(t, resp)
	}
	// A browser deletes an expired cookie, but an attacker can still send it.
	statusWith := func(set *http.Cookie) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/whoami", nil)
		r.AddCookie(&http.Cookie{Name: set.Name, Value: set.Value})
		caller, refused := status(t, i, r)
		if refused == 0 && caller.Credential == nil {
			return http.StatusUnauthorized
		}
		return refused
	}
	set := signIn()
	c.advance(cookieAge)
	if got := statusWith(set); got != http.StatusUnauthorized {
		t.Errorf("an old cookie: got status %d, want %d", got, http.StatusUnauthorized)
	}
	set = signIn()
	set = use(t, i, c, set, "anna", sessionAge)
	if got := statusWith(set); got != http.StatusUnauthorized {
		t.Errorf("after the maximum age of the session: got status %d, want %d", got, http.StatusUnauthorized)
	}
	set = signIn()
	for at := range set.Value {
		forged := *set
		forged.Value = set.Value[:at] + flip(set.Value[at]) + set.Value[at+1:]
		if at == len(set.Value)-1 {
			forged.Value = set.Value[:at] // the last bits may be padding
		}
		if got := statusWith(&forged); got != http.StatusUnauthorized {
			t.Fatalf("a cookie changed at %d: got status %d, want %d", at, got, http.StatusUnauthorized)
		}
	}
	resp, _ := send(t, b, http.MethodDelete, at+"/v1/session", "")
	if gone := sessionOf(t, resp); gone == nil || gone.MaxAge >= 0 {
		t.Errorf("sign-out: got cookie %+v, want one with a negative MaxAge", gone)
	}
	if resp, _ := send(t, b, http.MethodGet, at+"/v1/whoami", ""); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("after sign-out: got %s, want 401", resp.Status)
	}
}

// use makes requests with a session for the duration age, and returns the last cookie.
func use(t *testing.T, i *Identity, c *clock, set *http.Cookie, owner string, age time.Duration) *http.Cookie {
	t.Helper()
	for began := c.now(); c.now().Sub(began) < age; c.advance(2 * renewAfter) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/whoami", nil)
		r.AddCookie(&http.Cookie{Name: set.Name, Value: set.Value})
		w := httptest.NewRecorder()
		if caller, err := i.Authenticate(w, r); err != nil || caller.Owner != owner || !caller.Credential.Session {
			t.Fatalf("after %s: got %+v, error %v, want a session of %s", c.now().Sub(began), caller, err, owner)
		}
		if renewed := sessionOf(t, w.Result()); renewed != nil {
			set = renewed
		}
	}
	return set
}

// TestSignInWithTheProvider follows the authorization code flow like a browser.
func TestSignInWithTheProvider(t *testing.T) {
	i, p, c := withProvider(t)
	p.SetUser(map[string]any{"sub": "ann", "name": "Ann Lee", "groups": []string{"chemists"}})
	at, b := site(t, i).URL, browser(t)
	var cookies []*http.Cookie
	b.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		cookies = append(cookies, r.Response.Cookies()...)
		return nil
	}
	resp, page := send(t, b, http.MethodGet, at+"/v1/session/start?to="+url.QueryEscape("/files?a=1"), "")
	if set := sessionOf(t, resp); resp.StatusCode != http.StatusOK || set == nil || set.SameSite != http.SameSiteStrictMode || !strings.Contains(page, `content="0;url=/files?a=1"`) {
		t.Fatalf("got status %s, cookie %+v, want 200 and a session cookie with a page that returns to /files?a=1:\n%s", resp.Status, set, page)
	}
	if len(cookies) != 1 || cookies[0].Name != flowName || cookies[0].SameSite != http.SameSiteLaxMode || !cookies[0].HttpOnly {
		t.Errorf("got cookies %+v during the sign-in, want only %s", cookies, flowName)
	}
	if _, owner := send(t, b, http.MethodGet, at+"/v1/whoami", ""); owner != OwnerOf(p.Issuer(), "ann") {
		t.Errorf("got owner %q, want %q", owner, OwnerOf(p.Issuer(), "ann"))
	}
	callbackURL := resp.Request.URL.String()
	for name, again := range map[string]*http.Client{"the same browser": b, "another browser": browser(t)} {
		if resp, _ := send(t, again, http.MethodGet, callbackURL, ""); resp.StatusCode != http.StatusBadRequest || sessionOf(t, resp) != nil {
			t.Errorf("the repeated redirect in %s: got %s, want 400 without a session", name, resp.Status)
		}
	}
	last := use(t, i, c, sessionOf(t, resp), OwnerOf(p.Issuer(), "ann"), userSessionAge)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/whoami", nil)
	r.AddCookie(&http.Cookie{Name: last.Name, Value: last.Value})
	if caller, err := i.Authenticate(httptest.NewRecorder(), r); err != nil || caller.Credential != nil {
		t.Errorf("after the maximum age of the session: got %+v, error %v, want an anonymous caller", caller, err)
	}
}

func TestReturnOfAnotherSignIn(t *testing.T) {
	i, p, c := withProvider(t)
	p.SetUser(map[string]any{"sub": "mallory"})
	at := site(t, i).URL
	stop := func(b *http.Client) *http.Client {
		b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		return b
	}
	// returning starts a sign-in and returns the URL of the redirect back to this server.
	returning := func(b *http.Client) string {
		resp, _ := send(t, b, http.MethodGet, at+"/v1/session/start", "")
		resp, _ = send(t, b, http.MethodGet, resp.Header.Get("Location"), "")
		return resp.Header.Get("Location")
	}
	victim := stop(browser(t))
	own := returning(victim)
	if resp, _ := send(t, victim, http.MethodGet, returning(stop(browser(t))), ""); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("the redirect in another browser: got %s, want 400", resp.Status)
	}
	late := stop(browser(t))
	back := returning(late)
	c.advance(flowAge)
	if resp, _ := send(t, late, http.MethodGet, back, ""); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a late redirect: got %s, want 400", resp.Status)
	}
	if own == "" || strings.Contains(own, "error") {
		t.Errorf("the provider redirected to %q, want a URL without an error", own)
	}
}

// TestReturnFromAnotherIssuer checks the iss parameter of the redirect from the provider. RFC 9207.
func TestReturnFromAnotherIssuer(t *testing.T) {
	i, p, _ := withProvider(t)
	p.SetUser(map[string]any{"sub": "ann"})
	at := site(t, i).URL
	for _, c := range []struct {
		name    string
		issuers []string
		want    int
	}{
		{"the provider", []string{p.Issuer()}, 200}, {"another issuer", []string{"https://evil.example"}, 400}, {"an empty issuer", []string{""}, 400},
		{"none, although the provider announces it", nil, 400}, {"two issuers", []string{p.Issuer(), "https://evil.example"}, 400},
	} {
		b := browser(t)
		b.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
			if r.URL.Path != callback {
				return nil
			}
			query := r.URL.Query()
			query["iss"] = c.issuers
			r.URL.RawQuery = query.Encode()
			return nil
		}
		if resp, _ := send(t, b, http.MethodGet, at+"/v1/session/start", ""); resp.StatusCode != c.want || (sessionOf(t, resp) != nil) != (c.want == 200) {
			t.Errorf("the redirect with the issuer of %s: got %s, want %d and a session only with 200", c.name, resp.Status, c.want)
		}
	}
}

func TestOwnPath(t *testing.T) {
	for to, want := range map[string]string{
		"": "/", "/": "/", "/a?b=c#d": "/a?b=c#d", "//evil.example": "/", "/\\evil.example": "/", "https://evil.example": "/", "javascript:alert(1)": "/", "a": "/", "/\r\nx": "/",
	} {
		if got := ownPath(to); got != want {
			t.Errorf("ownPath(%q) = %q, want %q", to, got, want)
		}
	}
}

func TestCookieOverTLS(t *testing.T) {
	i := process(t, documents(t), newClock(), Config{})
	_, token := create(t, i, anna())
	at := site(t, i).URL
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+"/v1/session", strings.NewReader(`{"key":"`+token+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-Proto", "https")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if set := sessionOf(t, resp); set == nil || set.Name != "__Host-assay_session" || !set.Secure || set.Path != "/" {
		t.Errorf("got cookie %+v, want a Secure one named __Host-assay_session", set)
	}
}

// TestCookieOverTLSNeedsThePrefix checks that a cookie without the prefix, which a sibling domain can set, has no effect
// over TLS.
func TestCookieOverTLSNeedsThePrefix(t *testing.T) {
	i := process(t, documents(t), newClock(), Config{})
	_, token := create(t, i, anna())
	at := site(t, i).URL
	ask := func(method, path, body, proto string, cookies ...*http.Cookie) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, at+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Forwarded-Proto", proto)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() }) // not read
		return resp
	}
	valid := sessionOf(t, ask(http.MethodPost, "/v1/session", `{"key":"`+token+`"}`, "http")).Value
	named := func(name, value string) *http.Cookie { return &http.Cookie{Name: name, Value: value} }
	const plain, prefixed = "assay_session", "__Host-assay_session"
	for _, c := range []struct {
		name, proto string
		cookies     []*http.Cookie
		want        int
	}{
		{"plain over TLS", "https", []*http.Cookie{named(plain, valid)}, 401},
		{"prefixed over TLS", "https", []*http.Cookie{named(prefixed, valid)}, 200},
		{"both over TLS", "https", []*http.Cookie{named(plain, valid), named(prefixed, valid)}, 200},
		{"valid plain and invalid prefixed over TLS", "https", []*http.Cookie{named(plain, valid), named(prefixed, "x")}, 401},
		{"invalid plain and valid prefixed over TLS", "https", []*http.Cookie{named(plain, "x"), named(prefixed, valid)}, 200},
		{"plain", "http", []*http.Cookie{named(plain, valid)}, 200},
	} {
		if got := ask(http.MethodGet, "/v1/whoami", "", c.proto, c.cookies...).StatusCode; got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// TestFlowOverTLSNeedsThePrefix is like TestCookieOverTLSNeedsThePrefix for the cookie of a sign-in in progress.
func TestFlowOverTLSNeedsThePrefix(t *testing.T) {
	const value = "sealed"
	for _, c := range []struct{ proto, name, want string }{
		{"https", flowName, ""}, {"https", hostPrefix + flowName, value}, {"http", flowName, value}, {"http", hostPrefix + flowName, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, callback, nil)
		r.Header.Set("X-Forwarded-Proto", c.proto)
		r.AddCookie(&http.Cookie{Name: c.name, Value: value})
		if got := cookieValue(r, flowName); got != c.want {
			t.Errorf("cookie %s over %s: got %q, want %q", c.name, c.proto, got, c.want)
		}
	}
}

func TestAnotherOriginCannotSignIn(t *testing.T) {
	i := process(t, documents(t), newClock(), Config{})
	_, token := create(t, i, anna())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site(t, i).URL+"/v1/session", strings.NewReader(`{"key":"`+token+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://evil.example")
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("got %s, want 403", resp.Status)
	}
}
