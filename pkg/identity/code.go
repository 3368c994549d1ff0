package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/rs/zerolog"
	"golang.org/x/oauth2"

	"github.com/assay-project/assay/pkg/web"
)

const (
	flowName = "assay_signin"   // cookie of a sign-in in progress
	flowAge  = 10 * time.Minute // time limit of a sign-in at the provider
	callback = "/v1/session/callback"
)

// flow is a sign-in in progress. It is stored in a cookie, which the browser sends with the redirect from the provider.
type flow struct {
	State    string    `json:"s"`
	Nonce    string    `json:"n"`
	Verifier string    `json:"v"` // PKCE code verifier
	To       string    `json:"t"` // path of the page to return to
	Until    time.Time `json:"u"`
}

func (i *Identity) codeRoutes(r *web.Router) {
	text := &huma.Schema{Type: "string"}
	page := map[string]*huma.MediaType{"text/html": {Schema: text}}
	set := map[string]*huma.Param{"Set-Cookie": {Schema: text}, "Cache-Control": {Schema: text}, "Content-Security-Policy": {Schema: text}}
	r.Handle(huma.Operation{
		OperationID: "start-sign-in", Method: http.MethodGet, Path: "/v1/session/start", Tags: []string{tag}, Security: web.PublicSecurity,
		Summary: "Sign in at the identity provider", Description: "For browsers: redirects to the provider, using the authorization code flow with PKCE.",
		Parameters: []*huma.Param{{Name: "to", In: "query", Schema: text, Description: "the path of this server to return to; default: /"}},
		Responses: map[string]*huma.Response{"303": {Description: "Redirect to the provider", Headers: map[string]*huma.Param{
			"Location": {Schema: text}, "Set-Cookie": {Schema: text}, "Cache-Control": {Schema: text},
		}}},
	}, i.start, web.Refusals{http.StatusConflict: {"no-sign-in"}})
	r.Handle(huma.Operation{
		OperationID: "finish-sign-in", Method: http.MethodGet, Path: callback, Tags: []string{tag}, Security: web.PublicSecurity,
		Summary: "Return from the identity provider", Description: "For browsers: sets the cookie of a session and shows a page that returns to the page where the sign-in began.",
		Parameters: []*huma.Param{
			{Name: "code", In: "query", Schema: text}, {Name: "state", In: "query", Schema: text},
			{Name: "error", In: "query", Schema: text}, {Name: "error_description", In: "query", Schema: text}, {Name: "error_uri", In: "query", Schema: text},
			{Name: "iss", In: "query", Schema: text}, {Name: "session_state", In: "query", Schema: text}, {Name: "scope", In: "query", Schema: text},
			{Name: "authuser", In: "query", Schema: text}, {Name: "hd", In: "query", Schema: text}, {Name: "prompt", In: "query", Schema: text},
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "Signed in", Content: page, Headers: set},
			"400": {Description: "The sign-in has failed", Content: page, Headers: set},
		},
	}, i.finish, web.Refusals{http.StatusConflict: {"no-sign-in"}})
}

// client returns the configuration of the OAuth client. Its redirect URL uses the host of the request.
func (i *Identity) client(r *http.Request) (oauth2.Config, error) {
	if i.provider == nil || i.provider.cfg.ClientID == "" {
		return oauth2.Config{}, errNoSignIn()
	}
	found, err := i.provider.discover(r.Context())
	if err != nil {
		return oauth2.Config{}, web.Unavailable("The identity provider is unavailable.", outageRetry).Because(err)
	}
	own := url.URL{Scheme: web.SchemeOf(r), Host: r.Host, Path: callback}
	return oauth2.Config{
		ClientID: i.provider.cfg.ClientID, ClientSecret: i.provider.cfg.ClientSecret, Endpoint: found.Endpoint(),
		RedirectURL: own.String(), Scopes: []string{"openid", "profile", "email"},
	}, nil
}

func (i *Identity) start(w http.ResponseWriter, r *http.Request) {
	client, err := i.client(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	f := flow{
		State: randomText(secretSize), Nonce: randomText(secretSize), Verifier: oauth2.GenerateVerifier(),
		To: ownPath(r.URL.Query().Get("to")), Until: i.now().Add(flowAge),
	}
	value, err := i.sealer.seal(r.Context(), "flow", f)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	// With SameSite=Strict, the browser would not send the cookie with the redirect from the provider.
	http.SetCookie(w, hardened(r, &http.Cookie{Name: flowName, Value: value, SameSite: http.SameSiteLaxMode}, flowAge))
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", client.AuthCodeURL(f.State, oauth2.S256ChallengeOption(f.Verifier), oauth2.SetAuthURLParam("nonce", f.Nonce)))
	w.WriteHeader(http.StatusSeeOther)
}

// ownPath returns its argument if it is a path of this server, and "/" otherwise.
func ownPath(to string) string {
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "" || at.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n") {
		return "/"
	}
	return to
}

// errFlow means that a response from the provider matches no sign-in of this browser.
var errFlow = errors.New("the sign-in was not started in this browser, or took too long")

func (i *Identity) finish(w http.ResponseWriter, r *http.Request) {
	client, err := i.client(r)
	if err != nil {
		web.WriteError(w, r, err)
		return
	}
	var f flow
	s, err := i.exchange(r, client, &f)
	var set *http.Cookie
	if err == nil {
		set, err = i.sessionCookie(r, s)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	http.SetCookie(w, hardened(r, &http.Cookie{Name: flowName, SameSite: http.SameSiteLaxMode}, 0))
	to := ownPath(f.To)
	if err != nil {
		zerolog.Ctx(r.Context()).Warn().Err(err).Msg("a sign-in failed")
		w.WriteHeader(http.StatusBadRequest)
		_ = failedPage(to).Render(w) // fails only if the client has disconnected
		return
	}
	http.SetCookie(w, set)
	// The response is a page and not a redirect, because the browser would treat a redirect as part of the navigation
	// from the provider, and not send the cookie, which is SameSite=Strict.
	_ = donePage(to).Render(w)
}

// exchange exchanges the authorization code in the request for a session. It reads the flow from its cookie into f.
func (i *Identity) exchange(r *http.Request, client oauth2.Config, f *flow) (session, error) {
	query := r.URL.Query()
	if err := i.sealer.unseal(r.Context(), "flow", cookieValue(r, flowName), f); err != nil {
		return session{}, fmt.Errorf("%w: %w", errFlow, err)
	}
	if query.Get("state") != f.State || !i.now().Before(f.Until) {
		return session{}, errFlow
	}
	if err := i.provider.answered(r.Context(), query["iss"]); err != nil {
		return session{}, err
	}
	if fault := query.Get("error"); fault != "" {
		return session{}, fmt.Errorf("the identity provider reports %q", fault)
	}
	ctx, cancel := context.WithTimeout(i.provider.context(r.Context()), providerWait)
	defer cancel()
	token, err := client.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return session{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	c, err := i.provider.verify(ctx, raw, client.ClientID)
	if err != nil {
		return session{}, err
	}
	if c.registered.Nonce != f.Nonce {
		return session{}, fmt.Errorf("%w: the nonce does not match", errToken)
	}
	caller, now := c.caller(i.provider.cfg), i.now()
	i.meet(r.Context(), caller)
	return session{
		Owner: caller.Owner, Groups: caller.Credential.Groups, Op: slices.Contains(caller.Credential.Roles, web.Operator), User: caller.Credential.User, Began: now, Issued: now,
	}, nil
}
