package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// keyPrefix is the prefix of every API key, by which secret scanners recognize it. A key has the form
// assay_<id>_<secret>.
const keyPrefix = "assay_"

const (
	idSize     = 10 // bytes
	secretSize = 32 // bytes; a plain hash suffices for 256 random bits
)

var lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// Key is a stored API key, with the hash of its secret.
type Key struct {
	ID        string      `json:"-"`
	Owner     string      `json:"owner"`
	Name      string      `json:"name,omitempty"`
	Scopes    []web.Scope `json:"scopes"`
	Operator  bool        `json:"operator,omitempty"`
	Hash      string      `json:"hash"` // SHA-256 of the secret, in hex
	CreatedAt time.Time   `json:"createdAt"`
	ExpiresAt time.Time   `json:"expiresAt,omitzero"`
	RotatedAt time.Time   `json:"rotatedAt,omitzero"`
	RevokedAt time.Time   `json:"revokedAt,omitzero"`
	// PreviousHash is the hash of the secret before the last rotation, valid until PreviousUntil.
	PreviousHash  string    `json:"previousHash,omitempty"`
	PreviousUntil time.Time `json:"previousUntil,omitzero"`

	LastUsedAt time.Time `json:"-"` // accurate to about a minute

	version int64
}

// randomText returns the given number of random bytes, encoded as lower-case letters and digits.
func randomText(bytes int) string {
	random := make([]byte, bytes)
	_, _ = rand.Read(random) // never fails
	return lower.EncodeToString(random)
}

// newSecret returns a secret and its hash.
func newSecret() (secret, hash string) {
	secret = randomText(secretSize)
	return secret, hashOf(secret)
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// parseKey returns the parts of an API key.
func parseKey(token string) (id, secret string, ok bool) {
	id, secret, ok = strings.Cut(strings.TrimPrefix(token, keyPrefix), "_")
	ok = ok && len(id) == lower.EncodedLen(idSize) && len(secret) == lower.EncodedLen(secretSize)
	return id, secret, ok && strings.Trim(id+secret, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// accepts reports whether hash is the hash of a valid secret of the key. It compares in constant
// time.
func (k Key) accepts(hash string, now time.Time) bool {
	current := subtle.ConstantTimeCompare([]byte(hash), []byte(k.Hash))
	previous := subtle.ConstantTimeCompare([]byte(hash), []byte(k.PreviousHash))
	return current == 1 || previous == 1 && now.Before(k.PreviousUntil)
}

// Valid reports whether the key is neither revoked nor expired.
func (k Key) Valid(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || now.Before(k.ExpiresAt))
}

// caller returns the caller identified by the key.
func (k Key) caller() web.Caller {
	c := web.Caller{Owner: k.Owner, Credential: &web.Credential{Kind: "key", ID: k.ID, Scopes: slices.Clone(k.Scopes), Expires: k.ExpiresAt}}
	if k.Operator {
		c.Credential.Roles = []web.Role{web.Operator}
	}
	return c
}
