package sigv4

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// canonical returns the canonical request, of which the client signs the digest.
func (s *Signature) canonical(body []byte) []byte {
	var b strings.Builder
	b.WriteString(s.request.Method + "\n")
	path := s.request.URL.EscapedPath()
	if path == "" {
		path = "/"
	}
	escape(&b, path) // a second time, as for every service except S3
	b.WriteString("\n" + strings.ReplaceAll(s.request.URL.Query().Encode(), "+", "%20") + "\n")
	for _, name := range s.headers {
		b.WriteString(name + ":" + s.header(name) + "\n")
	}
	digest := sha256.Sum256(body)
	b.WriteString("\n" + strings.Join(s.headers, ";") + "\n" + hex.EncodeToString(digest[:]))
	return []byte(b.String())
}

// header returns the value of a header with consecutive spaces replaced by one.
func (s *Signature) header(name string) string {
	values := s.request.Header.Values(name)
	switch name {
	case "host": // net/http removes it from the header
		return s.request.Host
	case "content-length":
		values = []string{strconv.FormatInt(s.request.ContentLength, 10)}
	}
	trimmed := make([]string, len(values))
	for i, value := range values {
		trimmed[i] = strings.Join(strings.Fields(value), " ")
	}
	return strings.Join(trimmed, ",")
}

// escape writes a path with every byte percent-encoded except slashes and the unreserved characters of RFC 3986.
func escape(b *strings.Builder, path string) {
	const hexadecimal = "0123456789ABCDEF"
	for i := range len(path) {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hexadecimal[c>>4], hexadecimal[c&15]})
		}
	}
}
