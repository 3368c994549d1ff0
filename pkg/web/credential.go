package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Credential is the proof of a caller's identity.
type Credential struct {
	Kind    string    // key or oidc
	ID      string    // id of the API key; empty for oidc
	Session bool      // whether it is a session of the web app, started with that key or with oidc
	Scopes  []Scope   // the calls that it allows
	Roles   []Role    // all roles of the caller; Caller.Roles has those valid on this address
	Groups  []string  // groups of the caller, with which nodes of the library may be shared
	User    User      // user data from the identity provider
	Expires time.Time // the zero time for never
	// Check returns an error if the credential is no longer valid: a 401 problem, or a 503 problem while it cannot
	// be verified. Live streams call it at intervals.
	Check func(context.Context) error
}

// Scope is a kind of calls that a credential allows.
type Scope string

// Scopes.
const (
	ReadScope  Scope = "read"  // GET and HEAD
	WriteScope Scope = "write" // all other methods
)

// User describes a person as the identity provider does. Every field may be empty.
type User struct {
	DisplayName string `json:"displayName,omitempty"`
	FirstName   string `json:"firstName,omitempty"`
	LastName    string `json:"lastName,omitempty"`
	LoginName   string `json:"loginName,omitempty"`
	Email       string `json:"email,omitempty"`
	Avatar      string `json:"avatar,omitempty" doc:"the URL of a picture"`
}

// Authenticate returns the owner and the Credential of the caller of a request, and no Credential for a
// request without one. It may set cookies on the response. An invalid credential is a 401 problem; one
// that cannot be checked now is a 503 problem.
type Authenticate func(http.ResponseWriter, *http.Request) (Caller, error)

// Unauthenticated returns the 401 problem for a request without a valid credential. fault is the error code of RFC
// 6750, empty for a request without a credential.
func Unauthenticated(fault, detail string) *Problem {
	challenge := `Bearer realm="assay"`
	if fault != "" {
		challenge += fmt.Sprintf(`, error=%q`, fault)
	}
	return NewProblem(http.StatusUnauthorized, "unauthenticated", detail).WithHeader("WWW-Authenticate", challenge)
}

const howToAuthenticate = "Send Authorization: Bearer with an API key or a token of the identity provider, or sign in to the web app."

// access specifies who may call an operation of a router that authenticates.
type access int

const (
	needsCredential access = iota
	allowsAnonymous        // anonymous callers see only public items
	isPublic               // credentials are ignored
)

// The security of operations that do not require a Credential, which is the default of the API description.
var (
	// PublicSecurity is the security of an operation that ignores credentials.
	PublicSecurity = []map[string][]string{{}}
	// OptionalSecurity is the security of an operation that shows public and linked items to everyone.
	OptionalSecurity = []map[string][]string{{}, {BearerScheme: {}}, {SessionScheme: {}}}
)

// The names of the security schemes in the API description.
const (
	BearerScheme  = "bearer"
	SessionScheme = "session"
)

// accesses returns who may call each operation, by its pattern.
func (r *Router) accesses() map[string]access {
	all := map[string]access{}
	for pattern, op := range Operations(r.API.OpenAPI()) {
		open := slices.ContainsFunc(op.Security, func(s map[string][]string) bool { return len(s) == 0 })
		switch {
		case open && len(op.Security) == 1:
			all[pattern] = isPublic
		case open:
			all[pattern] = allowsAnonymous
		}
	}
	return all
}

// isCall reports whether a request is for an operation of the API. Everything else is public: health, metrics, documents
// and the files of the web app.
func isCall(req *http.Request) bool {
	_, path, _ := strings.Cut(req.Pattern, " ")
	return strings.HasPrefix(path, "/v1/")
}

// accessOf returns who may make a request. A call needs a credential unless its description says otherwise.
func (r *Router) accessOf(req *http.Request) access {
	if !isCall(req) {
		return isPublic
	}
	return r.access()[req.Pattern]
}

// identify returns the caller of a request, and an error if the caller may not make the request.
func (r *Router) identify(w http.ResponseWriter, req *http.Request) (Caller, error) {
	client := ClientOf(req.RemoteAddr)
	if r.authenticate == nil {
		owner := namedOwner(req)
		if owner != "" && !validOwner(owner) && !r.forwards {
			return Caller{}, Invalid(FieldError{Field: "header." + OwnerHeader, Message: badOwner})
		}
		return Caller{Owner: owner, Roles: r.roles, Client: client}, nil
	}
	allowed := r.accessOf(req)
	if allowed == isPublic {
		return Caller{Client: client, secured: isCall(req)}, nil
	}
	caller, err := r.authenticate(w, req)
	caller.Client, caller.secured = client, true
	if err != nil {
		return Caller{Client: client, secured: true}, err
	}
	if caller.Credential == nil {
		caller.Owner, caller.Roles = "", nil
		if allowed == needsCredential || len(r.roles) > 0 {
			return caller, Unauthenticated("", howToAuthenticate)
		}
		return caller, nil
	}
	caller.Roles = slices.DeleteFunc(slices.Clone(r.roles), func(role Role) bool { return !slices.Contains(caller.Credential.Roles, role) })
	return caller, r.permit(caller, req.Header.Get(OwnerHeader), req.Method)
}

// permit returns nil if the credential of c allows a request with this method and with this owner in OwnerHeader.
func (r *Router) permit(c Caller, owner, method string) error {
	if owner != "" && owner != c.Owner {
		return Invalid(FieldError{Field: "header." + OwnerHeader, Message: "is not the owner of the credential; omit the header"})
	}
	scope := WriteScope
	if method == http.MethodGet || method == http.MethodHead {
		scope = ReadScope
	}
	if !slices.Contains(c.Credential.Scopes, scope) {
		return NewProblem(http.StatusForbidden, "scope-required", fmt.Sprintf("The credential does not have the scope %s.", scope)).
			WithHeader("WWW-Authenticate", fmt.Sprintf(`Bearer realm="assay", error="insufficient_scope", scope=%q`, scope))
	}
	for _, role := range r.roles {
		if !c.Has(role) {
			return NewProblem(http.StatusForbidden, "role-required", fmt.Sprintf("This call needs the %s role.", role))
		}
	}
	return nil
}

// Anonymous sets the check of requests without a credential to operations with OptionalSecurity whose paths have a
// prefix. It returns a not-found problem for an item that not everyone may see; r has the values of the path. It runs
// before the parameters of the request are judged, so that a caller who may not see the item learns nothing about them.
func (r *Router) Anonymous(prefix string, check func(r *http.Request) error) {
	r.anonymous[prefix] = check
}

// checkAnonymous returns the error of the check that Anonymous has set for a request without a credential.
func (r *Router) checkAnonymous(req *http.Request, c Caller) error {
	if !c.secured || c.Credential != nil || r.accessOf(req) != allowsAnonymous {
		return nil
	}
	for prefix, check := range r.anonymous {
		if strings.HasPrefix(req.URL.Path, prefix) {
			setPathValues(req)
			return check(req)
		}
	}
	return nil
}

// hidden returns the problem to send instead of p. An anonymous caller of an address that authenticates gets a 401
// instead of a 404 problem, because a credential may allow it to see the item.
func (c Caller) hidden(p *Problem) *Problem {
	if c.secured && c.Credential == nil && p.Type == typePrefix+"not-found" {
		return Unauthenticated("", "Callers without a credential cannot see such an item. "+howToAuthenticate)
	}
	return p
}
