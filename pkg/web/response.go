package web

import (
	"net/http"
	"slices"
	"time"
)

// writePause is the longest wait for a client to read more of a response.
const writePause = 30 * time.Second

// response is the ResponseWriter of handlers. It records status and size for logs and metrics, compresses JSON, and
// ends the response to a client that stops reading.
type response struct {
	http.ResponseWriter
	control  *http.ResponseController
	request  *http.Request
	packers  *packers
	packer   *packer // nil unless the content is compressed
	status   int     // 0 until the handler has written the header
	sent     bool    // whether the header has been sent; that of JSON is sent with the first content, see packable
	bytes    int64
	extended time.Time        // time of the last change of the write deadline
	before   func(status int) // called before the header is written; nil for none
}

func newResponse(w http.ResponseWriter, r *http.Request, p *packers) *response {
	return &response{ResponseWriter: w, control: http.NewResponseController(w), request: r, packers: p}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader ignores all calls but the first; informational statuses are passed through.
func (w *response) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols {
		w.status = status
		if w.before != nil {
			w.before(status)
		}
	}
	if status == http.StatusNotModified {
		w.Header().Del("Content-Type") // huma sets the type of a problem, and a 304 has no body
	}
	if w.status == 0 {
		w.ResponseWriter.WriteHeader(status) // informational
	} else if !packable(status, w.Header()) {
		w.sendHeader()
	}
}

// sendHeader sends the header, unless it has been sent.
func (w *response) sendHeader() {
	if !w.sent {
		w.sent = true
		w.ResponseWriter.WriteHeader(w.status)
	}
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.packer == nil && !w.sent && len(p) >= minPacked {
		if !slices.Contains(w.Header().Values("Vary"), "Accept-Encoding") { // a forwarded response may have it
			w.Header().Add("Vary", "Accept-Encoding")
		}
		if AcceptsGzip(w.request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.packer = w.packers.open(w)
		}
	}
	if w.packer != nil {
		return w.packer.Write(p)
	}
	return w.send(p)
}

// send sends content as it is.
func (w *response) send(p []byte) (int, error) {
	w.sendHeader()
	w.extend()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// FlushError is called by http.ResponseController.Flush.
func (w *response) FlushError() error {
	w.WriteHeader(http.StatusOK)
	if w.packer != nil {
		if err := w.packer.flush(); err != nil {
			return err
		}
	}
	w.sendHeader()
	w.extend()
	return w.control.Flush()
}

// extend moves the write deadline, at most once per second.
func (w *response) extend() {
	if now := time.Now(); now.Sub(w.extended) > time.Second {
		w.extended = now
		_ = w.control.SetWriteDeadline(now.Add(writePause)) // a test's recorder has none
	}
}

// end sends what is left when the handler returns, and extends the deadline for the data that is still buffered. cut means
// that the connection is closed instead.
func (w *response) end(cut bool) {
	if w.status == 0 && w.before != nil {
		if cut {
			w.before(http.StatusInternalServerError)
		} else {
			w.WriteHeader(http.StatusOK) // as net/http would
		}
	}
	switch {
	case w.packer != nil && cut:
		w.packer.drop()
	case w.packer != nil:
		_ = w.packer.close() // fails only if the client has disconnected
	case w.status != 0 && !cut:
		w.sendHeader()
	}
	if w.bytes > 0 {
		w.extend()
	}
}
