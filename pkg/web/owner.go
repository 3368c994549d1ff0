package web

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// OwnerHeader carries the owner: an anonymous id that the client keeps. It is no proof of identity.
const OwnerHeader = "X-Owner-Id"

const badOwner = "expected 1 to 128 of the characters A-Z a-z 0-9 . _ ~ @ : + = -, but not . or .. alone"

// Owner returns the owner of a plain handler's request, a new one (a UUIDv7) when none is named, and
// sets it in the answer's header. A malformed one is a 422 problem.
func Owner(w http.ResponseWriter, r *http.Request) (string, error) {
	owner, ok := ownerOf(r.Header.Get(OwnerHeader))
	if !ok {
		return "", Invalid(FieldError{Field: "header." + OwnerHeader, Message: badOwner})
	}
	w.Header().Set(OwnerHeader, owner)
	return owner, nil
}

// OwnerParam is the same for typed operations: embed it in the input, and OwnerID is set.
type OwnerParam struct {
	OwnerID string `header:"X-Owner-Id" doc:"The owner: an anonymous id the client keeps, 1 to 128 of A-Z a-z 0-9 . _ ~ @ : + = -. Made and returned if absent."`
	named   bool
}

// Named reports whether the request named its owner. Otherwise OwnerID is a new one.
func (p *OwnerParam) Named() bool { return p.named }

// Resolve is called by huma once the request is read.
func (p *OwnerParam) Resolve(ctx huma.Context) []error {
	p.named = p.OwnerID != ""
	owner, ok := ownerOf(p.OwnerID)
	if !ok {
		return []error{&huma.ErrorDetail{Location: "header." + OwnerHeader, Message: badOwner}}
	}
	p.OwnerID = owner
	ctx.SetHeader(OwnerHeader, owner)
	return nil
}

// ValidOwner tells whether id can name an owner. In the path of a URL, . and .. are no names.
func ValidOwner(id string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~@:+=-"
	return id != "" && id != "." && id != ".." && len(id) <= 128 && strings.Trim(id, allowed) == ""
}

func ownerOf(sent string) (owner string, ok bool) {
	if sent == "" {
		return uuid.Must(uuid.NewV7()).String(), true // fails only when the system has no randomness
	}
	return sent, ValidOwner(sent)
}
