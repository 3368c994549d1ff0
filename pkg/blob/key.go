package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Key returns the key of an object: the prefix, which ends with a slash, the shard of the name, and
// the name. For the prefix files/ and the name <id>/<version>, it is files/5e/<id>/<version>.
//
// The shard is the first byte of the SHA-256 of the name's first element, in two hexadecimal
// digits. It distributes the objects of a prefix evenly over 256 directories: a server that stores
// objects as files reads and sorts an entire directory for each page of a listing, and S3 scales by
// key prefix. All objects of one id are in one shard.
func Key(prefix, name string) string { return prefix + shard(name) + "/" + name }

// CutKey is the inverse of Key: it returns the name in a key. ok reports whether Key returns that
// key for the prefix and the name.
func CutKey(prefix, key string) (name string, ok bool) {
	rest, ok := strings.CutPrefix(key, prefix)
	digits, name, two := strings.Cut(rest, "/")
	if !ok || !two || digits != shard(name) {
		return "", false
	}
	return name, true
}

func shard(name string) string {
	id, _, _ := strings.Cut(name, "/")
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:1])
}
