package embedded

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/s3err"
)

const (
	// sumsAttribute contains the CRC-32C of each block of an object.
	sumsAttribute = "assay-sums"
	etagAttribute = "etag" // set by the gateway
	sumBlock      = 128 << 10
	sumSize       = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged means that the content of an object has changed since it was stored.
var errDamaged = errors.New("the object is damaged")

// sumsOf returns the checksums of a file.
func sumsOf(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	sums := make([]byte, 0, sumSize*(info.Size()/sumBlock+1))
	block := make([]byte, min(sumBlock, info.Size()))
	for at := int64(0); at < info.Size(); at += sumBlock {
		block = block[:min(sumBlock, info.Size()-at)]
		if _, err := file.ReadAt(block, at); err != nil {
			return nil, err
		}
		sums = binary.BigEndian.AppendUint32(sums, crc32.Checksum(block, castagnoli))
	}
	return sums, nil
}

// verifySums reads a file and compares it with its checksums.
func verifySums(file *os.File, size int64, sums []byte) error {
	body, err := newVerifiedBody(file, size, sums)
	if err == nil {
		_, err = io.Copy(io.Discard, body)
	}
	return err
}

// GetObject verifies each block of an object before sending it, even for a range. If the first
// block is damaged, it returns an error; a damaged later block aborts the transfer.
func (d *durableStore) GetObject(ctx context.Context, in *s3.GetObjectInput) (*s3.GetObjectOutput, error) {
	out, err := d.Posix.GetObject(ctx, in)
	if err != nil || out.Body == nil || aws.ToInt64(out.ContentLength) == 0 {
		return out, err
	}
	body, err := d.verifiedBody(*in.Bucket, *in.Key, out)
	switch {
	case err != nil:
		d.log.Error().Err(err).Str("bucket", *in.Bucket).Str("key", *in.Key).Msg("cannot read an object")
		if closeErr := out.Body.Close(); closeErr != nil {
			d.log.Warn().Err(closeErr).Str("key", *in.Key).Msg("cannot close an object")
		}
		return nil, s3err.APIError{Code: "ObjectDamaged", Description: err.Error() + "; restore it from a backup", HTTPStatusCode: http.StatusInternalServerError}
	case body == nil: // the object has no checksums
		return out, nil
	}
	err = out.Body.Close()
	out.Body = body
	return out, err
}

// verifiedBody returns a reader that verifies the object, or nil for an object without checksums.
// The first block of the range has been verified.
func (d *durableStore) verifiedBody(bucket, key string, out *s3.GetObjectOutput) (body *verifiedBody, err error) {
	file, err := os.Open(filepath.Join(d.objects, bucket, filepath.FromSlash(key)))
	if err != nil {
		return nil, err
	}
	defer func() {
		if body == nil {
			err = errors.Join(err, file.Close())
		}
	}()
	info, err := file.Stat()
	if err != nil || info.IsDir() {
		return nil, err
	}
	etag, err := d.meta.RetrieveAttribute(file, bucket, key, etagAttribute)
	if err != nil {
		return nil, fmt.Errorf("%w: its metadata is lost: %w", errDamaged, err)
	}
	if string(etag) != aws.ToString(out.ETag) {
		return nil, errors.New("the object has been replaced; try again")
	}
	sums, err := d.meta.RetrieveAttribute(file, bucket, key, sumsAttribute)
	if errors.Is(err, meta.ErrNoSuchKey) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	checked, err := newVerifiedBody(file, info.Size(), sums)
	if err != nil {
		return nil, err
	}
	checked.at, checked.end = 0, info.Size()
	if text, ok := strings.CutPrefix(aws.ToString(out.ContentRange), "bytes "); ok {
		from, _, _ := strings.Cut(text, "-")
		if checked.at, err = strconv.ParseInt(from, 10, 64); err != nil {
			return nil, fmt.Errorf("content range %q: %w", text, err)
		}
		checked.end = checked.at + aws.ToInt64(out.ContentLength)
	}
	checked.failed = func(err error) {
		d.log.Error().Err(err).Str("bucket", bucket).Str("key", key).Msg("aborting the transfer of an object")
	}
	return checked, checked.fill()
}

// verifiedBody reads a range of a file, block by block, and fails at a checksum mismatch.
type verifiedBody struct {
	file    *os.File
	size    int64
	sums    []byte
	at, end int64  // unread part of the range
	block   []byte // buffer
	ready   []byte // unread, verified bytes of block
	failed  func(error)
}

func newVerifiedBody(file *os.File, size int64, sums []byte) (*verifiedBody, error) {
	if blocks := (size + sumBlock - 1) / sumBlock; int64(len(sums)) != blocks*sumSize {
		return nil, fmt.Errorf("%w: %d bytes, but checksums for %d blocks", errDamaged, size, len(sums)/sumSize)
	}
	return &verifiedBody{file: file, size: size, sums: sums, end: size, block: make([]byte, min(sumBlock, size))}, nil
}

// fill reads and verifies the next block of the range.
func (c *verifiedBody) fill() error {
	n := c.at / sumBlock
	start := n * sumBlock
	block := c.block[:min(sumBlock, c.size-start)]
	if _, err := c.file.ReadAt(block, start); err != nil {
		return err
	}
	if crc32.Checksum(block, castagnoli) != binary.BigEndian.Uint32(c.sums[n*sumSize:]) {
		return fmt.Errorf("%w: bytes %d to %d do not match their checksum", errDamaged, start, start+int64(len(block))-1)
	}
	c.ready = block[c.at-start : min(int64(len(block)), c.end-start)]
	return nil
}

func (c *verifiedBody) Read(p []byte) (int, error) {
	if len(c.ready) == 0 {
		if c.at >= c.end {
			return 0, io.EOF
		}
		if err := c.fill(); err != nil {
			if c.failed != nil {
				c.failed(err)
			}
			return 0, err
		}
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	c.at += int64(n)
	return n, nil
}

func (c *verifiedBody) Close() error { return c.file.Close() }
