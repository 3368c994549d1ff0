package identity

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/assay-project/assay/pkg/web"
)

// tag groups the operations in the API description.
const tag = "session"

// Routes registers the calls that the web app uses to sign in and out. tokens reports whether callers must send a
// credential (ASSAY_AUTH=token); if not, no sign-in is required.
func (i *Identity) Routes(r *web.Router, tokens bool) {
	noSignIn := web.Refusals{http.StatusConflict: {"no-sign-in"}}
	web.Register(r, huma.Operation{
		OperationID: "get-sign-in", Method: http.MethodGet, Path: "/v1/session", Tags: []string{tag}, Security: web.PublicSecurity,
		Summary: "Get the ways to sign in to this server",
	}, func(_ context.Context, in *requestInput) (*methodsOutput, error) {
		out := i.methods(tokens)
		out.Body.Owner = r.LocalOwner(in.request)
		return out, nil
	})
	web.Register(r, huma.Operation{
		OperationID: "sign-in", Method: http.MethodPost, Path: "/v1/session", Tags: []string{tag}, Security: web.PublicSecurity,
		Summary:       "Sign in with an API key",
		Description:   "Sets a session cookie, which later requests renew. The session ends after 30 minutes without a request, and after 12 hours at the latest. The page must have the origin of this server.",
		DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *signInInput) (*cookieOutput, error) {
		if !tokens {
			return nil, errNoSignIn()
		}
		return i.signIn(ctx, in)
	}, noSignIn, web.Refusals{http.StatusUnauthorized: {"unauthenticated"}})
	web.Register(r, huma.Operation{
		OperationID: "sign-out", Method: http.MethodDelete, Path: "/v1/session", Tags: []string{tag}, Security: web.PublicSecurity,
		Summary: "Sign out", Description: "Deletes the session cookie.", DefaultStatus: http.StatusNoContent,
	}, func(_ context.Context, in *requestInput) (*cookieOutput, error) {
		return &cookieOutput{SetCookie: cookie(in.request, "", 0).String(), CacheControl: "no-store"}, nil
	})
	i.codeRoutes(r)
}

func errNoSignIn() error {
	return web.NewProblem(http.StatusConflict, "no-sign-in", "This server does not support this way to sign in; see GET /v1/session.")
}

type methodsOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         methods
}

type methods struct {
	Auth    string   `json:"auth" enum:"none,token" doc:"none: no sign-in, X-Owner-Id names the owner; token: calls require a credential"`
	Methods []string `json:"methods" nullable:"false" enum:"key,oidc" doc:"key: POST /v1/session with an API key; oidc: open /v1/session/start in the browser"`
	Owner   string   `json:"owner,omitempty" doc:"the owner that pages in a browser on the machine of the server use by default: that of its command line; only for requests from this machine, and without sign-in"`
}

func (i *Identity) methods(tokens bool) *methodsOutput {
	out := &methodsOutput{CacheControl: "no-store", Body: methods{Auth: "none", Methods: []string{}}}
	if tokens {
		out.Body.Auth, out.Body.Methods = "token", append(out.Body.Methods, "key")
		if i.provider != nil && i.provider.cfg.ClientID != "" {
			out.Body.Methods = append(out.Body.Methods, "oidc")
		}
	}
	return out
}

// requestInput gives a typed operation access to its request.
type requestInput struct{ request *http.Request }

// Resolve is called by huma after it has read the request.
func (in *requestInput) Resolve(ctx huma.Context) []error {
	in.request, _ = humago.Unwrap(ctx)
	return nil
}

type signInInput struct {
	requestInput
	Body struct {
		Key string `json:"key" maxLength:"200" doc:"an API key"`
	}
}

type cookieOutput struct {
	SetCookie    string `header:"Set-Cookie"`
	CacheControl string `header:"Cache-Control"`
}

func (i *Identity) signIn(ctx context.Context, in *signInInput) (*cookieOutput, error) {
	if _, err := i.byKey(ctx, in.Body.Key); err != nil {
		return nil, err
	}
	id, secret, _ := parseKey(in.Body.Key)
	now := i.now()
	s := session{Key: id, Hash: hashOf(secret), Began: now, Issued: now}
	set, err := i.sessionCookie(in.request, s)
	if err != nil {
		return nil, err
	}
	return &cookieOutput{SetCookie: set.String(), CacheControl: "no-store"}, nil
}

// sessionCookie returns the cookie of a session.
func (i *Identity) sessionCookie(r *http.Request, s session) (*http.Cookie, error) {
	value, err := i.sealer.seal(r.Context(), "session", s)
	if err != nil {
		return nil, err
	}
	if len(value) > maxCookie {
		return nil, web.NewProblem(http.StatusForbidden, "too-many-groups",
			"You have more groups than fit into a session of the web app. Ask the operator of the identity provider to send fewer.")
	}
	return cookie(r, value, s.ends().Sub(i.now())), nil
}

// cookie returns the cookie of a session; an age of 0 or less deletes it.
func cookie(r *http.Request, value string, age time.Duration) *http.Cookie {
	return hardened(r, &http.Cookie{Name: cookieName, Value: value, SameSite: http.SameSiteStrictMode}, age)
}

// hardened completes a cookie so that scripts cannot read it and, over TLS, only this host can set and receive it.
func hardened(r *http.Request, c *http.Cookie, age time.Duration) *http.Cookie {
	c.Name, c.Path, c.HttpOnly, c.Secure, c.MaxAge = cookieNameOf(r, c.Name), "/", true, web.OverTLS(r), int(age.Seconds())
	if c.MaxAge <= 0 {
		c.MaxAge = -1
	}
	return c
}

// cookieValue returns the value of a cookie that hardened created, or "" if there is none. Over TLS only the name with
// the prefix counts, because a page of a sibling domain can set the other one.
func cookieValue(r *http.Request, name string) string {
	c, err := r.Cookie(cookieNameOf(r, name))
	if err != nil {
		return "" // no cookie
	}
	return c.Value
}

// cookieNameOf returns the full name of a cookie in the response to a request.
func cookieNameOf(r *http.Request, name string) string {
	if web.OverTLS(r) {
		return hostPrefix + name
	}
	return name
}
