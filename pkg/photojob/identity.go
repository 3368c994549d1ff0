package photojob

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
)

// MaxBatch is the maximum number of jobs in a batch.
const MaxBatch = 20

// NewID returns the id of a new job or batch, a ULID. For an idempotency key it always returns the same
// id per owner; for an empty key it returns a unique id. If the key is a ULID or a UUIDv7, the id has its
// timestamp, so that ids sort by time if clients use such keys.
func NewID(owner, idempotencyKey string) (string, error) {
	if idempotencyKey == "" {
		id, err := ulid.New(ulid.Now(), rand.Reader)
		if err != nil {
			return "", fmt.Errorf("generate a job id: %w", err)
		}
		return id.String(), nil
	}
	sum := sha256.Sum256([]byte(owner + "\x00" + idempotencyKey))
	id := ulid.ULID(sum[:16])
	if made, err := ulid.ParseStrict(idempotencyKey); err == nil {
		copy(id[:6], made[:6])
	} else if made, err := uuid.Parse(idempotencyKey); err == nil && made.Version() == 7 {
		copy(id[:6], made[:6]) // both begin with 48 bits of epoch milliseconds
	}
	return id.String(), nil
}

// ValidID reports whether id is a valid id of a job or batch.
func ValidID(id string) bool {
	parsed, err := ulid.ParseStrict(id)
	return err == nil && parsed.String() == id // ParseStrict also accepts lower case
}

// childIDs returns the ids of the first n jobs of a batch: the ULIDs that follow the batch id.
func childIDs(batchID string, n int) ([]string, error) {
	id, err := ulid.ParseStrict(batchID)
	if err != nil {
		return nil, fmt.Errorf("parse the batch id %q: %w", batchID, err)
	}
	ids := make([]string, n)
	for i := range ids {
		// The timestamp stays; the random 80 bits are incremented and may wrap around.
		low := binary.BigEndian.Uint64(id[8:]) + 1
		binary.BigEndian.PutUint64(id[8:], low)
		if low == 0 {
			binary.BigEndian.PutUint16(id[6:], binary.BigEndian.Uint16(id[6:])+1)
		}
		ids[i] = id.String()
	}
	return ids, nil
}
