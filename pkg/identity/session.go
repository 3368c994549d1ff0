package identity

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// Limits of a session. A session ends when its cookie expires, and at the latest sessionAge or
// userSessionAge after the sign-in.
const (
	sessionAge     = 12 * time.Hour // after a sign-in with an API key, which each request checks
	userSessionAge = 8 * time.Hour  // after a sign-in with the provider: a working day, because groups and role are not updated
	cookieAge      = 30 * time.Minute
	renewAfter     = 5 * time.Minute
	maxCookie      = 3800 // maximum size of a value in bytes; browsers accept cookies of up to 4096 bytes
	cookieName     = "assay_session"
	hostPrefix     = "__Host-" // prefix of the names of cookies over TLS
)

var errSession = errors.New("the session is not valid")

// session is the content of a session's cookie: an API key, or the user data of the provider.
type session struct {
	Key    string    `json:"k,omitempty"` // id of the API key
	Hash   string    `json:"h,omitempty"` // hash of the key's secret
	Owner  string    `json:"o,omitempty"`
	Groups []string  `json:"g,omitempty"`
	Op     bool      `json:"r,omitempty"` // operator
	User   web.User  `json:"u,omitzero"`
	Began  time.Time `json:"b"`
	Issued time.Time `json:"i"`
}

// bySession returns the caller of a request with a session, and renews its cookie. If the request has no
// session or an invalid one, the caller is anonymous, so that the user can sign in again.
func (i *Identity) bySession(w http.ResponseWriter, r *http.Request) (web.Caller, error) {
	value := cookieValue(r, cookieName)
	if value == "" {
		return web.Caller{}, nil
	}
	var s session
	err := i.sealer.unseal(r.Context(), "session", value, &s)
	if errors.Is(err, errSession) {
		return web.Caller{}, nil
	}
	if err != nil {
		return web.Caller{}, web.Unavailable("Sessions cannot be verified at the moment.", time.Second).Because(err)
	}
	now := i.now()
	caller, err := i.ofSession(r.Context(), s)
	if p, is := errors.AsType[*web.Problem](err); is && p.Status == http.StatusUnauthorized {
		return web.Caller{}, nil
	}
	if err == nil && now.Sub(s.Issued) > renewAfter {
		s.Issued = now
		renewed, err := i.sessionCookie(r, s)
		if err != nil {
			return web.Caller{}, err
		}
		http.SetCookie(w, renewed)
	}
	return caller, err
}

// ofSession returns the caller of a session, or a 401 problem if the session has expired.
func (i *Identity) ofSession(ctx context.Context, s session) (web.Caller, error) {
	now, ends := i.now(), s.ends()
	if !now.Before(ends) || now.Before(s.Issued.Add(-skew)) {
		return web.Caller{}, refused("The session has expired.")
	}
	if s.Key != "" {
		caller, err := i.ofKey(ctx, s.Key, s.Hash)
		if err != nil {
			return caller, err
		}
		if caller.Credential.Expires.IsZero() || ends.Before(caller.Credential.Expires) {
			caller.Credential.Expires = ends
		}
		caller.Credential.Session = true
		return caller, nil
	}
	caller := web.Caller{Owner: s.Owner, Credential: &web.Credential{
		Kind: "oidc", Session: true, Scopes: []web.Scope{web.ReadScope, web.WriteScope}, Groups: s.Groups, User: s.User, Expires: ends,
	}}
	if s.Op {
		caller.Credential.Roles = []web.Role{web.Operator}
	}
	caller.Credential.Check = func(ctx context.Context) error {
		// The page renews the cookie with its next request; a stream continues until the session ends.
		if !i.now().Before(s.last()) {
			return refused("The session has expired.")
		}
		return nil
	}
	return caller, nil
}

// ends returns the time at which the session ends unless it is renewed.
func (s session) ends() time.Time {
	ends := s.Issued.Add(cookieAge)
	if last := s.last(); last.Before(ends) {
		return last
	}
	return ends
}

// last returns the latest time at which the session ends, regardless of renewals.
func (s session) last() time.Time {
	if s.Key != "" {
		return s.Began.Add(sessionAge)
	}
	return s.Began.Add(userSessionAge)
}
