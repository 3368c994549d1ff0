package library

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
)

const (
	trashPrefix = "trash#"
	erasePrefix = "erase#"
)

// roots is the namespace of the ids of roots.
var roots = uuid.MustParse("5d3c7a1e-3f0b-5c39-9f5e-6a2d2f7c8b41")

// RootID returns the id of the root of an owner, a UUIDv5. The owner's first write creates the node. The id is shown to
// the owner only: everyone else could use it to verify a guess of the owner's id, which acts as a credential.
func RootID(owner string) string { return uuid.NewSHA1(roots, []byte(owner)).String() }

// InRoot reports whether the parent of a node is the root of its owner.
func (n Node) InRoot() bool { return n.ParentID == RootID(n.OwnedBy) }

// trashOf returns the parent id of the nodes in the trash of an owner.
func trashOf(owner string) string { return trashPrefix + owner }

// eraseOf returns the parent id of the nodes of an owner that are being erased.
func eraseOf(owner string) string { return erasePrefix + owner }

// NewID returns the id of a new node, a UUIDv7. For an idempotency key it always returns the same id per owner, with
// the time of the key if that is a UUIDv7; for an empty key it returns a new id. Package link issues ids for keys that
// depend on a secret, too.
func NewID(owner, idempotencyKey string) (string, error) {
	if idempotencyKey == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return "", fmt.Errorf("generate a node id: %w", err)
		}
		return id.String(), nil
	}
	sum := sha256.Sum256([]byte(owner + "\x00" + idempotencyKey))
	return idOf(sum[:], idempotencyKey), nil
}

// SecretID is like NewID for an idempotency key, but without the secret nobody can compute the id: everyone who may read
// the node sees its id, and could verify a guess of its owner.
func SecretID(secret []byte, owner, idempotencyKey string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("assay library node\x00" + owner + "\x00" + idempotencyKey))
	return idOf(mac.Sum(nil), idempotencyKey)
}

// idOf returns a digest as a UUIDv7, with the time of an idempotency key if that is a UUIDv7.
func idOf(digest []byte, idempotencyKey string) string {
	id := uuid.UUID(digest[:16])
	if made, err := uuid.Parse(idempotencyKey); err == nil && made.Version() == 7 {
		copy(id[:6], made[:6])
	}
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80 // version 7, RFC 9562
	return id.String()
}

// ValidID reports whether id has the form of a node's id.
func ValidID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}
