package library

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// MaxLinkAge is the maximum lifetime of a share link.
const MaxLinkAge = 30 * 24 * time.Hour

// ErrLink means that a share link is invalid, has expired or was revoked.
var ErrLink = errors.New("the link is not valid")

// Link is the content of a share link: its holder may read a node and everything below it. Path.Access checks
// whether the link was revoked.
type Link struct {
	NodeID  string
	Epoch   int64 // of the node's permissions when the link was issued
	Expires time.Time
}

// LinkView is a share link as the API shows it.
type LinkView struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

func (l Link) to(n Node) bool {
	return l.NodeID != "" && l.NodeID == n.ID && l.Epoch == n.Permissions.Epoch
}

// Links issues and reads share links. It is safe for concurrent use.
type Links struct{ key []byte }

// minLinkKey is the minimum key length in bytes.
const minLinkKey = 32

// NewLinks returns an issuer with a secret key of at least 32 bytes, which all services share.
func NewLinks(key []byte) (*Links, error) {
	if len(key) < minLinkKey {
		return nil, fmt.Errorf("the key of share links has %d bytes; at least %d are required", len(key), minLinkKey)
	}
	return &Links{key}, nil
}

const (
	linkBody = 16 + 8 + 8 // id, epoch, expiry in epoch seconds
	linkSize = linkBody + sha256.Size
)

// Issue returns the token of a link to a node with the given lifetime, above 0 and at most MaxLinkAge.
func (l *Links) Issue(n Node, now time.Time, valid time.Duration) (token string, expires time.Time, err error) {
	if valid <= 0 || valid > MaxLinkAge {
		return "", time.Time{}, fmt.Errorf("the lifetime of a link is %s: must be above 0 and at most %s", valid, MaxLinkAge)
	}
	expires = now.Add(valid).Truncate(time.Second).UTC()
	token, err = l.token(n, expires)
	return token, expires, err
}

// List returns the links to a node that Store.AddLink recorded and that have not expired, in the order in which they
// were created.
func (l *Links) List(n Node, now time.Time) ([]LinkView, error) {
	links := []LinkView{}
	for _, seconds := range n.Permissions.valid(now) {
		expires := time.Unix(seconds, 0).UTC()
		token, err := l.token(n, expires)
		if err != nil {
			return nil, err
		}
		links = append(links, LinkView{Token: token, ExpiresAt: expires})
	}
	return links, nil
}

// token returns the token of a link, which depends only on the node, the epoch of its links and the expiry.
func (l *Links) token(n Node, expires time.Time) (string, error) {
	id, err := uuid.Parse(n.ID)
	if err != nil {
		return "", fmt.Errorf("create a link to %q: %w", n.ID, err)
	}
	body := append(make([]byte, 0, linkSize), id[:]...)
	body = binary.BigEndian.AppendUint64(body, uint64(n.Permissions.Epoch))
	body = binary.BigEndian.AppendUint64(body, uint64(expires.Unix()))
	return base64.RawURLEncoding.EncodeToString(append(body, l.sign(body)...)), nil
}

// Read verifies a token and returns its link. It returns ErrLink for an invalid or expired token.
func (l *Links) Read(token string, now time.Time) (Link, error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(data) != linkSize || !hmac.Equal(data[linkBody:], l.sign(data[:linkBody])) {
		return Link{}, ErrLink
	}
	link := Link{
		NodeID: uuid.UUID(data[:16]).String(), Epoch: int64(binary.BigEndian.Uint64(data[16:])),
		Expires: time.Unix(int64(binary.BigEndian.Uint64(data[24:])), 0).UTC(),
	}
	if !now.Before(link.Expires) {
		return Link{}, ErrLink
	}
	return link, nil
}

func (l *Links) sign(body []byte) []byte {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte("assay library link\x00"))
	mac.Write(body)
	return mac.Sum(nil)
}
