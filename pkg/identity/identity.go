// Package identity authenticates requests with API keys, tokens of an OpenID Connect provider, and
// sessions of the web app. Each resolves to a web.Caller.
package identity

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/web"
)

// Config contains the settings of the identity provider. Without an issuer only API keys are accepted.
type Config struct {
	Issuer       string `env:"ASSAY_OIDC_ISSUER" use:"often" doc:"the URL of the OpenID Connect provider whose tokens are accepted with ASSAY_AUTH=token; default: none"`
	ClientID     string `env:"ASSAY_OIDC_CLIENT_ID" use:"often" doc:"the client id that the web app uses to sign in; the provider must allow the redirect to /v1/session/callback"`
	ClientSecret string `env:"ASSAY_OIDC_CLIENT_SECRET" secret:"true" doc:"the client secret; empty for a public client"`
	Audience     string `env:"ASSAY_OIDC_AUDIENCE" doc:"the audience that bearer tokens must have; default: the client id"`
	RoleClaim    string `env:"ASSAY_OIDC_ROLE_CLAIM" envDefault:"roles" doc:"the claim with the roles of a user; a dot selects a member of an object, as in realm_access.roles"`
	OperatorRole string `env:"ASSAY_OIDC_OPERATOR_ROLE" envDefault:"operator" doc:"the value in the role claim that makes a user an operator"`
	GroupClaim   string `env:"ASSAY_OIDC_GROUP_CLAIM" envDefault:"groups" doc:"the claim with the groups of a user; nodes of the library may be shared with groups"`
}

// Options are the dependencies of an Identity. Documents is required.
type Options struct {
	Documents *platform.Store
	Log       zerolog.Logger
	// Introduce is called with the user data from the provider when a token of the user is first used,
	// and at each sign-in. Optional.
	Introduce func(ctx context.Context, owner string, user web.User) error
	Now       func() time.Time // clock; default: time.Now
}

// Identity resolves the callers of one process. It is safe for concurrent use.
type Identity struct {
	keys      *Keys
	known     *recent[string, Key]          // API keys by id
	verified  *recent[[32]byte, web.Caller] // callers by the hash of their OIDC token
	used      *recent[string, struct{}]     // ids of keys whose use was recently recorded
	provider  *provider                     // nil without an issuer
	documents *platform.Store
	introduce func(context.Context, string, web.User) error
	log       zerolog.Logger
	now       func() time.Time
	sealer    sealer
}

// KeyAge is how long a process uses a cached API key. A key that is revoked or rotated is accepted for at
// most that time, and its live streams end at most 1 second later.
const KeyAge = 2 * time.Second

const (
	tokenAge  = 5 * time.Minute // time for which a verified token is not verified again
	useAge    = time.Minute     // interval at which uses of a key are recorded
	maxRecent = 10000           // maximum number of entries of each cache
	maxToken  = 16 << 10        // maximum size of a bearer token, in bytes
)

// New returns the Identity of a process. It does not contact the provider.
func New(cfg Config, o Options) (*Identity, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Introduce == nil {
		o.Introduce = func(context.Context, string, web.User) error { return nil }
	}
	i := &Identity{
		keys:      NewKeys(o.Documents, o.Now),
		known:     newRecent[string, Key](KeyAge, o.Now),
		verified:  newRecent[[32]byte, web.Caller](tokenAge, o.Now),
		used:      newRecent[string, struct{}](useAge, o.Now),
		documents: o.Documents, introduce: o.Introduce, log: o.Log, now: o.Now,
		sealer: sealer{documents: o.Documents},
	}
	if cfg.Issuer == "" {
		return i, nil
	}
	var err error
	i.provider, err = newProvider(cfg, o.Now)
	return i, err
}

// Authenticate implements web.Authenticate. A bearer token takes precedence over a session.
func (i *Identity) Authenticate(w http.ResponseWriter, r *http.Request) (web.Caller, error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		return i.bySession(w, r)
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	token = strings.TrimSpace(token)
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" || len(token) > maxToken {
		return web.Caller{}, refused("Send one Authorization header with Bearer and a token.")
	}
	if strings.HasPrefix(token, keyPrefix) {
		return i.byKey(r.Context(), token)
	}
	return i.byToken(r.Context(), token)
}

// refused returns the problem for an invalid credential.
func refused(detail string) *web.Problem { return web.Unauthenticated("invalid_token", detail) }
