package syndication

import (
	"bytes"
	"mime"
	"regexp"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/extract/plaintext"
)

// declaration matches the start of an XML document that declares its charset.
var declaration = regexp.MustCompile(`^(\s*<\?xml[^>]*?)\s+encoding\s*=\s*["']([^"'>]*)["']`)

// UTF8 returns a document in UTF-8 without a declaration of its charset. The charset is determined
// from the byte order mark or the first characters, otherwise from the declaration, otherwise from the
// Content-Type. If the bytes contradict it, or nothing declares it, it is detected. Invalid bytes become U+FFFD, and
// control characters, which XML does not permit, are removed.
func UTF8(body []byte, contentType string) []byte {
	label := ""
	switch {
	case bytes.HasPrefix(body, []byte("\x00<")):
		label = "utf-16be"
	case bytes.HasPrefix(body, []byte("<\x00")):
		label = "utf-16le"
	default:
		label = declared(body, contentType)
	}
	if decoded, _, err := plaintext.Decode(body, mime.FormatMediaType("text/xml", map[string]string{"charset": label})); err == nil {
		body = decoded
	}
	body = bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return -1
		}
		return r
	}, bytes.ToValidUTF8(body, []byte(string(utf8.RuneError))))
	return declaration.ReplaceAll(body, []byte("$1"))
}

// declared returns the charset that a document declares in ASCII, or that of its Content-Type.
func declared(body []byte, contentType string) string {
	if found := declaration.FindSubmatch(body); found != nil {
		return string(found[2])
	}
	_, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return parameters["charset"]
}
