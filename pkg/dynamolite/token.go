package dynamolite

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"
)

// tokenLife is how long a ClientRequestToken makes a repeat harmless.
const tokenLife = 10 * time.Minute

// tokensBucket holds the number of the span of tokenLife in which a request
// was made (8 bytes) and its token, so that old ones come first; they lead to
// the time (8 bytes, epoch nanoseconds) and the hash of what was asked.
var tokensBucket = []byte("tokens")

func tokenSpan(at time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(at.UnixNano()/int64(tokenLife)))
}

// repeated reports whether a request with the token, no older than tokenLife,
// has taken effect. It is an error if that one asked something else.
func (w *writeTx) repeated(token string, fingerprint []byte) (bool, error) {
	if token == "" {
		return false, nil
	}
	for _, span := range [][]byte{tokenSpan(w.now), tokenSpan(w.now.Add(-tokenLife))} {
		stored := w.tx.Bucket(tokensBucket).Get(append(span, token...))
		if stored == nil || w.now.UnixNano()-int64(binary.BigEndian.Uint64(stored)) >= int64(tokenLife) {
			continue
		}
		if hash := sha256.Sum256(fingerprint); !bytes.Equal(stored[8:], hash[:]) {
			return false, &apiError{code: "IdempotentParameterMismatchException", message: "Request parameters do not match those of an earlier request with the same ClientRequestToken"}
		}
		return true, nil
	}
	return false, nil
}

// remember stores the token of a request that has been carried out.
func (w *writeTx) remember(token string, fingerprint []byte) error {
	if token == "" {
		return nil
	}
	hash := sha256.Sum256(fingerprint)
	return w.put(tokensBucket, append(tokenSpan(w.now), token...), append(binary.BigEndian.AppendUint64(nil, uint64(w.now.UnixNano())), hash[:]...))
}

// forgetTokens removes up to sweepBatch tokens that have expired, and reports
// whether there may be more.
func (e *Engine) forgetTokens() (more bool, err error) {
	oldest := tokenSpan(e.clock().Add(-tokenLife))
	due := func(tx *bbolt.Tx) (keys [][]byte) {
		cursor := tx.Bucket(tokensBucket).Cursor()
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
