package web

import (
	"net/http"
	"time"
)

// writePause is the longest wait for a client to read more of a response.
const writePause = 30 * time.Second

// response is the ResponseWriter of handlers. It records status and size for logs and metrics, and
// ends the response to a client that stops reading.
type response struct {
	http.ResponseWriter
	control  *http.ResponseController
	status   int // 0 until the header is written
	bytes    int64
	extended time.Time        // time of the last change of the write deadline
	before   func(status int) // called before the header is written; nil for none
}

func newResponse(w http.ResponseWriter) *response {
	return &response{ResponseWriter: w, control: http.NewResponseController(w)}
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
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.extend()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// FlushError is called by http.ResponseController.Flush.
func (w *response) FlushError() error {
	w.WriteHeader(http.StatusOK)
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

// end extends the deadline for the data that is still buffered when the handler returns. cut means that
// the connection is closed instead.
func (w *response) end(cut bool) {
	if w.status == 0 && w.before != nil {
		if cut {
			w.before(http.StatusInternalServerError)
		} else {
			w.WriteHeader(http.StatusOK) // as net/http would
		}
	}
	if w.bytes > 0 {
		w.extend()
	}
}
