// Package packed decompresses the files that the program embeds. Their content is pinned by hashes in
// wasm/fetch, so the format has no checksum.
package packed

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	brrr "github.com/molecule-man/go-brrr"
)

// Most is the maximum size of a decompressed file in bytes. The largest, RDKit, has 6.8 MB.
const Most = 16 << 20

// ErrLarge is returned for a file that is larger than Most.
var ErrLarge = fmt.Errorf("the file has more than %d bytes", Most)

// Brotli decompresses a file of the format Brotli (RFC 7932). base is the decompressed file that it was compressed relative
// to, as a prefix dictionary, or nil. The error is ErrLarge, or says that the file is damaged.
func Brotli(file, base []byte) ([]byte, error) {
	var options brrr.ReaderOptions
	if base != nil {
		options.Dictionaries = [][]byte{base}
	}
	r, err := brrr.NewReaderOptions(bytes.NewReader(file), options)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(r, Most+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return nil, err
	}
	if len(content) > Most {
		return nil, ErrLarge
	}
	return content, nil
}
