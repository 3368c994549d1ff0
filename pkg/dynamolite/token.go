package dynamolite

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite/attr"
	"go.etcd.io/bbolt"
)

// tokenLife is the time for which a ClientRequestToken makes a repeated
// request idempotent.
const tokenLife = 10 * time.Minute

// maxToken is the maximum length of a ClientRequestToken, in bytes.
const maxToken = 36

// tokensBucket maps a key to the time (8 bytes, epoch nanoseconds) and the
// hash of a request. The key is the number of the interval of tokenLife in
// which the request was made (8 bytes), followed by its token, so that the oldest
// entries sort first. Entries since the last checkpoint are in the journal only
// (journal.late).
var tokensBucket = []byte("tokens")

func tokenSpan(at time.Time) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 8+maxToken), uint64(at.UnixNano()/int64(tokenLife)))
}

// repeated reports whether a request with the token, no older than tokenLife,
// has taken effect. It returns an error if that request had other parameters.
func (w *writeTx) repeated(token string, parameters fingerprint) (bool, error) {
	if token == "" {
		return false, nil
	}
	for _, span := range [][]byte{tokenSpan(w.now), tokenSpan(w.now.Add(-tokenLife))} {
		stored, err := w.token(append(span, token...))
		if err != nil {
			return false, err
		}
		if stored == nil || w.now.UnixNano()-int64(binary.BigEndian.Uint64(stored)) >= int64(tokenLife) {
			continue
		}
		if !bytes.Equal(stored[8:], parameters[:]) {
			return false, &apiError{code: "IdempotentParameterMismatchException", message: "Request parameters do not match those of an earlier request with the same ClientRequestToken"}
		}
		return true, nil
	}
	return false, nil
}

// token returns the entry of the token with the given key, or nil if there is none.
func (w *writeTx) token(key []byte) ([]byte, error) {
	for _, late := range []map[string][]byte{w.late, w.before} {
		if stored, ok := late[string(key)]; ok {
			return unseal(key, stored)
		}
	}
	return lookup(bucketOf(w.tx, tokensBucket), key)
}

// remember stores the token of a completed request.
func (w *writeTx) remember(token string, parameters fingerprint) error {
	if token == "" {
		return nil
	}
	key := append(tokenSpan(w.now), token...)
	stored := binary.BigEndian.AppendUint64(make([]byte, sealSize, sealSize+8+len(parameters)), uint64(w.now.UnixNano()))
	stored = sealIn(key, append(stored, parameters[:]...))
	if w.late == nil {
		return w.putSealed(tokensBucket, key, stored)
	}
	w.note(opPut, tokensBucket, key, stored)
	w.late[string(key)] = stored
	return nil
}

// putTokens stores tokens in tokensBucket.
func putTokens(tx *bbolt.Tx, tokens map[string][]byte) error {
	bucket := bucketOf(tx, tokensBucket)
	for _, key := range slices.Sorted(maps.Keys(tokens)) {
		if err := bucket.Put([]byte(key), tokens[key]); err != nil {
			return err
		}
	}
	return nil
}

// forgetTokens removes up to sweepBatch tokens that have expired, and reports
// whether there may be more.
func (e *Engine) forgetTokens() (more bool, err error) {
	oldest := tokenSpan(e.past(tokenLife))
	due := func(tx *bbolt.Tx) (keys [][]byte) {
		cursor := bucketOf(tx, tokensBucket).Cursor()
		for key, _ := cursor.First(); key != nil && bytes.Compare(key[:8], oldest) < 0 && len(keys) < sweepBatch; key, _ = cursor.Next() {
			keys = append(keys, bytes.Clone(key))
		}
		return keys
	}
	count := 0
	err = e.read(func(tx *bbolt.Tx) error {
		count = len(due(tx))
		return nil
	})
	if err != nil || count == 0 {
		return false, err
	}
	return count == sweepBatch, e.write(func(w *writeTx) error {
		for _, key := range due(w.tx) {
			if err := w.remove(tokensBucket, key); err != nil {
				return err
			}
		}
		return nil
	})
}

// fingerprint identifies the parameters of a request, regardless of the order of members of
// its JSON objects.
type fingerprint [sha256.Size]byte

// fingerprint returns the fingerprint of the request's parameters, or the zero value
// if the request has no token.
func (in *transactWriteItemsInput) fingerprint() (f fingerprint) {
	if in.ClientRequestToken == "" {
		return f
	}
	b := make([]byte, 0, 2<<10)
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	optional := func(s *string) {
		if b = append(b, 0); s != nil {
			b[len(b)-1] = 1
			text(*s)
		}
	}
	placeholders := make([]string, 0, 8)
	for _, item := range in.TransactItems {
		x, v := item.chosen()
		b = append(b, byte(v))
		optional(x.TableName)
		optional(x.UpdateExpression)
		optional(x.ConditionExpression)
		text(x.ReturnValuesOnConditionCheckFailure)
		b = binary.AppendUvarint(b, uint64(len(x.ExpressionAttributeNames)))
		placeholders = slices.AppendSeq(placeholders[:0], maps.Keys(x.ExpressionAttributeNames))
		slices.Sort(placeholders)
		for _, placeholder := range placeholders {
			text(placeholder)
			text(x.ExpressionAttributeNames[placeholder])
		}
		for _, values := range [...]attr.Item{x.Key, x.Item, x.ExpressionAttributeValues} {
			if values.Validate() != nil { // a key that does not match the table, or parameters that the action does not use
				b = values.AppendJSON(append(b, 0))
				continue
			}
			b = attr.EncodeItem(append(b, 1), values)
		}
	}
	return sha256.Sum256(b)
}
