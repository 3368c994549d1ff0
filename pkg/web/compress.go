package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const (
	minPacked  = 1 << 10 // bytes; a shorter response fits into one packet in any case
	heldPacked = 1 << 20 // compressed bytes that are held for a Content-Length; a longer response is sent in chunks
)

// AcceptsGzip reports whether a client accepts compressed content.
func AcceptsGzip(r *http.Request) bool {
	others := false
	for _, header := range r.Header.Values("Accept-Encoding") {
		for coding := range strings.SplitSeq(header, ",") {
			name, weight, _ := strings.Cut(coding, ";")
			accepted := strings.TrimRight(strings.ToLower(strings.TrimSpace(weight)), ".0") != "q=" // RFC 9110, 12.4.2
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"):
				return accepted
			case name == "*":
				others = accepted
			}
		}
	}
	return others
}

// packable reports whether a response may be compressed: JSON with a body. Downloads and parts of them have a
// Content-Disposition, a Content-Length or a Content-Range. A response with an ETag is not compressed, because the ETag of the
// compressed form would have to differ, and clients send it as If-Match to change what it describes.
func packable(status int, header http.Header) bool {
	switch status {
	case http.StatusNoContent, http.StatusPartialContent, http.StatusNotModified:
		return false
	}
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if mediaType != "application/json" && mediaType != "application/problem+json" {
		return false
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Range", "Content-Disposition", "Etag"} {
		if _, set := header[name]; set {
			return false
		}
	}
	return true
}

// packers keeps compressors for reuse: each has almost 1 MB of memory. The zero value is ready to use.
type packers struct{ pool sync.Pool }

// open returns a compressor of content for w. The caller closes or drops it.
func (p *packers) open(w *response) *packer {
	out := &packer{w: w, from: p}
	if used, ok := p.pool.Get().(*gzip.Writer); ok {
		out.gzip = used
		out.gzip.Reset(&out.held)
	} else {
		out.gzip, _ = gzip.NewWriterLevel(&out.held, gzip.BestSpeed) // the level is valid
	}
	return out
}

// packer compresses the content of a response.
type packer struct {
	w    *response
	from *packers
	gzip *gzip.Writer
	held bytes.Buffer // compressed, not sent
}

func (p *packer) Write(content []byte) (int, error) {
	n, err := p.gzip.Write(content)
	if err == nil && p.held.Len() > heldPacked {
		err = p.send()
	}
	return n, err
}

// flush sends everything that was written.
func (p *packer) flush() error {
	if err := p.gzip.Flush(); err != nil {
		return err
	}
	return p.send()
}

// close sends the rest, with a Content-Length if nothing has been sent. A client that reads slowly occupies no compressor.
func (p *packer) close() error {
	err := p.gzip.Close()
	p.drop()
	if err != nil {
		return err
	}
	if !p.w.sent {
		p.w.Header().Set("Content-Length", strconv.Itoa(p.held.Len()))
	}
	return p.send()
}

// drop makes the compressor available to other responses. Nothing else is sent.
func (p *packer) drop() { p.from.pool.Put(p.gzip) }

func (p *packer) send() error {
	_, err := p.w.send(p.held.Bytes())
	p.held.Reset()
	return err
}
