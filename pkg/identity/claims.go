package identity

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// claims are the claims of a token.
type claims struct {
	registered registered
	all        map[string]any
}

type registered struct {
	Issuer    string   `json:"iss"`
	Subject   string   `json:"sub"`
	Audience  audience `json:"aud"`
	Party     string   `json:"azp"` // the client to which the token was issued; optional
	Expires   float64  `json:"exp"` // epoch seconds
	NotBefore float64  `json:"nbf"`
	Nonce     string   `json:"nonce"`
}

// audience is a list of strings. In JSON, it can also be a single string.
type audience []string

func (a *audience) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(a))
}

func seconds(epoch float64) time.Time { return time.Unix(int64(epoch), 0) }

const ownerSize = 26 // length in characters of 5 bits

// OwnerOf returns the owner id of a subject of an issuer.
func OwnerOf(issuer, subject string) string {
	sum := sha256.Sum256([]byte(issuer + "\x00" + subject))
	return base32.StdEncoding.EncodeToString(sum[:])[:ownerSize]
}

// maxGroup is the maximum length of a group name, in bytes.
const maxGroup = 256

// caller returns the caller identified by the claims.
func (c claims) caller(cfg Config) web.Caller {
	caller := web.Caller{Owner: OwnerOf(c.registered.Issuer, c.registered.Subject), Credential: &web.Credential{
		Kind: "oidc", Scopes: []web.Scope{web.ReadScope, web.WriteScope}, User: c.user(), Expires: seconds(c.registered.Expires),
	}}
	for _, group := range c.values(cfg.GroupClaim) {
		if group != "" && len(group) <= maxGroup {
			caller.Credential.Groups = append(caller.Credential.Groups, group)
		}
	}
	if cfg.OperatorRole != "" && slices.Contains(c.values(cfg.RoleClaim), cfg.OperatorRole) {
		caller.Credential.Roles = []web.Role{web.Operator}
	}
	return caller
}

// values returns the strings of a claim, which is a string or an array. A dot in the name selects a
// member of an object, unless a claim with exactly that name exists.
func (c claims) values(name string) []string {
	value, found := c.all[name]
	for within := c.all; !found; {
		first, rest, deeper := strings.Cut(name, ".")
		if !deeper {
			value = within[name]
			break
		}
		within, _ = within[first].(map[string]any)
		name = rest
	}
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, each := range v {
			if text, ok := each.(string); ok {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}

// maxName is the maximum length of a user's name or email address, in bytes.
const maxName = 320

// user returns the user described by the claims. An email address that the provider reports as unverified is omitted.
func (c claims) user() web.User {
	text := func(name string) string {
		value, _ := c.all[name].(string)
		if len(value) > maxName {
			return ""
		}
		return value
	}
	u := web.User{
		DisplayName: text("name"), FirstName: text("given_name"), LastName: text("family_name"),
		LoginName: text("preferred_username"), Email: text("email"),
	}
	if verified, known := c.all["email_verified"].(bool); known && !verified {
		u.Email = ""
	}
	if picture, err := url.Parse(text("picture")); err == nil && picture.Scheme == "https" {
		u.Avatar = picture.String()
	}
	return u
}
