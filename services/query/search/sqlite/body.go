package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-project/assay/services/query/search"
	"github.com/assay-project/assay/services/query/search/engine"
)

const (
	// blockSize is the maximum number of bytes of a block. A snippet reads few blocks of a long text.
	blockSize = 128 << 10
	// slack is the number of bytes by which a block may be shorter, so that it ends with a space.
	slack = 4 << 10
	// maxBlocks is the number of numbers for the blocks of a text. It exceeds search.MaxText / (blockSize - slack).
	maxBlocks = 1024
)

// blockNo returns the number of a block of a node.
func blockNo(no int64, i int) int64 { return maxBlocks*no + int64(i) }

// split splits a text into blocks, between words where possible.
func split(text string) []string {
	var blocks []string
	for len(text) > blockSize {
		end := blockSize
		if space := strings.LastIndexFunc(text[end-slack:end], unicode.IsSpace); space >= 0 {
			end += space - slack
		}
		for !utf8.RuneStart(text[end]) {
			end--
		}
		blocks, text = append(blocks, text[:end]), text[end:]
	}
	if text != "" {
		blocks = append(blocks, text)
	}
	return blocks
}

// setBlocks replaces the text of a node, which has a number of blocks.
func (c *change) setBlocks(ctx context.Context, no int64, count int, blocks []string, places []search.Place) error {
	for i := range count {
		if _, err := c.ExecContext(ctx, "DELETE FROM body WHERE block = ?", blockNo(no, i)); err != nil {
			return err
		}
		if count == 1 { // a single block has no words of its own
			break
		}
		if _, err := c.ExecContext(ctx, "DELETE FROM block WHERE rowid = ?", blockNo(no, i)); err != nil {
			return err
		}
	}
	for i, text := range blocks {
		packed := c.x.pack.EncodeAll([]byte(text), nil)
		if _, err := c.ExecContext(ctx, "INSERT INTO body VALUES (?, ?, ?)", blockNo(no, i), packed, engine.PackPlace(places[i])); err != nil {
			return err
		}
	}
	return nil
}

// lastBlock selects the number of the last block in a range, or null.
const lastBlock = "SELECT max(block) FROM body WHERE block BETWEEN ?1 + 0 AND ?2 + 0"

// blockCount returns the number of blocks of a node from the number of its last one.
func blockCount(no int64, last sql.NullInt64) int {
	if !last.Valid {
		return 0
	}
	return int(last.Int64-blockNo(no, 0)) + 1
}

// blocks returns the text of a node, and its blocks, which are parts of it in memory, too.
func (x *Index) blocks(ctx context.Context, q querier, no int64) (text string, blocks []string, err error) {
	var b strings.Builder
	var ends []int
	err = each(ctx, q, "SELECT text FROM body WHERE block BETWEEN ? + 0 AND ? + 0 ORDER BY block", []any{blockNo(no, 0), blockNo(no, maxBlocks-1)}, func(rows *sql.Rows) error {
		var packed sql.RawBytes
		if err := rows.Scan(&packed); err != nil {
			return err
		}
		block, err := x.unpacked(packed)
		b.WriteString(block)
		ends = append(ends, b.Len())
		return err
	})
	text = b.String()
	start := 0
	for _, end := range ends {
		blocks = append(blocks, text[start:end])
		start = end
	}
	return text, blocks, err
}

const oneBlock = "SELECT text, place FROM body WHERE block = ?"

// block returns a block of the text of a node, and the place at its beginning.
func (x *Index) block(ctx context.Context, q querier, no int64, i int) (text string, at search.Place, err error) {
	var packed []byte
	var place string
	if err := q.QueryRowContext(ctx, oneBlock, blockNo(no, i)).Scan(&packed, &place); err != nil {
		return "", at, fault(err)
	}
	if at, err = engine.UnpackPlace(place); err == nil {
		text, err = x.unpacked(packed)
	}
	return text, at, err
}

func (x *Index) unpacked(packed []byte) (string, error) {
	text, err := x.unpack.DecodeAll(packed, nil)
	if err != nil {
		return "", errors.Join(search.ErrDamaged, err)
	}
	return string(text), nil
}
