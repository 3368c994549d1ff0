package packed

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Text decompresses an embedded text of the format gzip (RFC 1952): the licenses of a program, which are several times larger
// than their compressed form. It panics if the text is damaged, which TestCommittedLicenses in wasm/fetch rules out.
func Text(file []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(file))
	var content []byte
	if err == nil {
		content, err = io.ReadAll(r)
	}
	if err != nil {
		panic(fmt.Sprintf("an embedded text is damaged: %v", err))
	}
	return string(content)
}
