package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"

	"github.com/klauspost/compress/zstd"
)

// ID is the SHA-256 of the content of a chunk.
type ID [sha256.Size]byte

// MarshalText returns the digits of the id.
func (id ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText parses the digits of an id.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) != 2*len(id) {
		return fmt.Errorf("%q is not the id of a chunk", text)
	}
	_, err := hex.Decode(id[:], text)
	return err
}

func (id ID) String() string { return hex.EncodeToString(id[:]) }

const (
	chunksFolder = "chunks"
	// maxChunk is the maximum size of the content of a chunk in bytes.
	maxChunk = 4 << 20
)

// chunkName returns the name of the file of a chunk.
func chunkName(id ID) string {
	digits := id.String()
	return chunksFolder + "/" + digits[:2] + "/" + digits
}

// chunkOf returns the id of the chunk in a file.
func chunkOf(name string) (id ID, ok bool) {
	return id, id.UnmarshalText([]byte(path.Base(name))) == nil
}

// ErrDamaged means that a file of the repository is missing or does not have the content that it was stored with.
var ErrDamaged = errors.New("the backup is damaged")

// codec compresses and decompresses chunks.
type codec struct {
	to   *zstd.Encoder
	from *zstd.Decoder
}

func newCodec() (c codec, err error) {
	// One processor at most; the fastest level, because the disk or the network is slower anyway.
	if c.to, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return c, err
	}
	c.from, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxChunk+1))
	return c, err
}

// chunk reads a chunk. It returns ErrDamaged, with the name of the file, unless the content has the right SHA-256.
func (r *Repository) chunk(ctx context.Context, id ID) ([]byte, error) {
	name := chunkName(id)
	stored, err := r.store.get(ctx, name)
	if errors.Is(err, errMissing) {
		return nil, fmt.Errorf("%w: %s is missing", ErrDamaged, name)
	}
	if err != nil {
		return nil, err
	}
	content, err := r.codec.from.DecodeAll(stored, nil)
	if err != nil || sha256.Sum256(content) != id {
		return nil, fmt.Errorf("%w: %s does not have the content that it was stored with", ErrDamaged, name)
	}
	return content, nil
}
