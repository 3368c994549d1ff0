package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// OwnerHeader names the owner in a request: an anonymous id that the client stores. It does not prove an identity. For
// a caller with a Credential it is redundant, and rejected if it names another owner.
const OwnerHeader = "X-Owner-Id"

// OwnerCookie names the owner in GET and HEAD requests without OwnerHeader, such as those for images and downloads,
// to which a page cannot add headers. The web app sets it.
const OwnerCookie = "assay-owner"

// WebhookHeader names a webhook endpoint of the owner in a request that creates an item. The outcome of the item is delivered to
// it, whatever events the endpoint selects.
const WebhookHeader = "X-Webhook"

type webhookKey struct{}

// WebhookOf returns the endpoint that a request names, or "", from its handler's context.
func WebhookOf(ctx context.Context) string {
	named, _ := ctx.Value(webhookKey{}).(string)
	return named
}

// namedOwner returns the owner that a request names, or "" if it names none.
func namedOwner(r *http.Request) string {
	owner := r.Header.Get(OwnerHeader)
	if owner != "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return owner
	}
	cookie, err := r.Cookie(OwnerCookie)
	if err != nil {
		return "" // no cookie
	}
	return cookie.Value
}

// ownerPattern is the form of an owner id, which the tags of both parameters repeat.
const ownerPattern = "^[A-Za-z0-9._~@:+=-]{1,128}$"

const badOwner = "must have 1 to 128 of the characters A-Z a-z 0-9 . _ ~ @ : + = -, but not . or .. alone"

// CallerParam is the caller of a typed operation on existing items: embed it in the input.
type CallerParam struct {
	Caller Caller
	Header string `header:"X-Owner-Id" pattern:"^[A-Za-z0-9._~@:+=-]{1,128}$" doc:"The caller: an anonymous id that the client stores."`
}

// Resolve is called by huma after it has read the request.
func (p *CallerParam) Resolve(ctx huma.Context) []error {
	p.Caller = CallerOf(ctx.Context())
	return nil
}

// OwnerParam is the owner of the item that a typed operation creates: embed it in the input. OwnerID is the
// caller's owner id, or a new UUIDv7 if the caller has none. The response header contains it.
type OwnerParam struct {
	OwnerID string `header:"X-Owner-Id" pattern:"^[A-Za-z0-9._~@:+=-]{1,128}$" doc:"The owner: an anonymous id that the client stores, other than . and .. alone. Generated and returned if absent."`
	Webhook string `header:"X-Webhook" maxLength:"64" doc:"id or name of a webhook endpoint of the owner: the outcome is delivered to it, whatever events it selects."`
	named   bool
}

// Named reports whether the caller has an owner. Otherwise OwnerID is new.
func (p *OwnerParam) Named() bool { return p.named }

// Resolve is called by huma after it has read the request.
func (p *OwnerParam) Resolve(ctx huma.Context) []error {
	p.OwnerID, p.named = ownerOf(ctx.Context())
	ctx.SetHeader(OwnerHeader, p.OwnerID)
	return nil
}

// Owner is like OwnerParam, for a plain handler. named reports whether the caller has an owner.
func Owner(w http.ResponseWriter, r *http.Request) (owner string, named bool) {
	owner, named = ownerOf(r.Context())
	w.Header().Set(OwnerHeader, owner)
	return owner, named
}

func ownerOf(ctx context.Context) (owner string, named bool) {
	if owner = CallerOf(ctx).Owner; owner != "" {
		return owner, true
	}
	return uuid.Must(uuid.NewV7()).String(), false // fails only if the system has no source of random numbers
}

// CheckOwner returns an error for an id that cannot name an owner.
func CheckOwner(id string) error {
	if !validOwner(id) {
		return errors.New(badOwner)
	}
	return nil
}

// validOwner reports whether id can name an owner. The names . and .. are excluded because URL
// paths cannot contain them.
func validOwner(id string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~@:+=-"
	return id != "" && id != "." && id != ".." && len(id) <= 128 && strings.Trim(id, allowed) == ""
}
