package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// ErrBodyStalled is returned by reads of a request's body that comes too slowly.
var ErrBodyStalled = errors.New("web: the request's body stalled")

// BodyPause is the longest wait for more of a body.
const BodyPause = 30 * time.Second

// bodyMinRate is the bytes a second that a body must reach on average, after
// the first pause.
const bodyMinRate = 1 << 10

// pacedBody limits how long a client may hold a request by sending its body slowly, with no limit on
// a long upload that moves. Only the waiting for the client counts, and not the handler's own pace.
type pacedBody struct {
	io.Reader
	setReadDeadline func(time.Time) error
	pause           time.Duration
	waited          time.Duration
	read            int64
	until           time.Time // the deadline
}

// PaceBody returns a reader of body that fails with ErrBodyStalled when nothing comes for pause, such as
// BodyPause, or when the body comes too slowly. It sets read deadlines on the connection, the first at once.
func PaceBody(body io.Reader, pause time.Duration, setReadDeadline func(time.Time) error) io.Reader {
	paced := &pacedBody{Reader: body, setReadDeadline: setReadDeadline, pause: pause}
	paced.wait(time.Now().Add(pause))
	return paced
}

// PaceBodies returns a handler whose requests have their bodies paced.
func PaceBodies(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paceBody(w, r)
		handler.ServeHTTP(w, r)
	})
}

// paceBody paces the body of r where it has one. The deadline it sets at once also bounds the rest that
// net/http reads away when a handler leaves a body unread.
func paceBody(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	control := http.NewResponseController(w)
	r.Body = struct {
		io.Reader
		io.Closer
	}{PaceBody(r.Body, BodyPause, control.SetReadDeadline), r.Body}
}

// Read returns ErrBodyStalled in place of a timeout.
func (b *pacedBody) Read(p []byte) (int, error) {
	began := time.Now()
	allowed := b.pause + time.Duration(b.read/bodyMinRate)*time.Second - b.waited
	b.wait(began.Add(min(b.pause, allowed)))
	n, err := b.Reader.Read(p)
	b.waited += time.Since(began)
	b.read += int64(n)
	switch {
	case errors.Is(err, io.EOF):
		// From here on net/http reads ahead to notice when the client leaves; a deadline that is
		// met then would cancel the request.
		b.setDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("%w after %d bytes: %w", ErrBodyStalled, b.read, err)
	}
	return n, err
}

// wait moves the deadline, on by a second at least: a small body is read at once.
func (b *pacedBody) wait(until time.Time) {
	if later := until.Sub(b.until); later < 0 || later > time.Second {
		b.setDeadline(until)
	}
}

// setDeadline ignores writers that have none, such as a test's recorder.
func (b *pacedBody) setDeadline(at time.Time) {
	b.until = at
	_ = b.setReadDeadline(at)
}
