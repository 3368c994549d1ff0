package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// ErrBodyStalled is returned by reads of a request body that arrives too slowly.
var ErrBodyStalled = errors.New("web: the request body stalled")

// BodyPause is the longest time without a byte of a request body.
const BodyPause = 30 * time.Second

// bodyMinRate is the average rate in bytes per second that a body must reach after the first pause.
const bodyMinRate = 1 << 10

// pacedBody limits how long a client can hold a request by sending its body slowly. A long upload that makes
// progress has no limit. Only the time spent waiting for the client counts, not the time of the handler.
type pacedBody struct {
	io.Reader
	setReadDeadline func(time.Time) error
	pause           time.Duration
	waited          time.Duration
	read            int64
	until           time.Time // the deadline
	err             error     // error of the last read; no read follows it
}

// PaceBody returns a reader of body that fails with ErrBodyStalled when no byte arrives for pause,
// such as BodyPause, or when the average rate is too low. It sets read deadlines on the connection,
// the first one immediately.
func PaceBody(body io.Reader, pause time.Duration, setReadDeadline func(time.Time) error) io.Reader {
	paced := &pacedBody{Reader: body, setReadDeadline: setReadDeadline, pause: pause}
	paced.wait(time.Now().Add(pause))
	return paced
}

// PaceBodies returns a handler that paces the bodies of its requests.
func PaceBodies(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paceBody(w, r)
		handler.ServeHTTP(w, r)
	})
}

// paceBody paces the body of r, if it has one. Its first deadline also limits the time in which net/http discards a
// body that the handler did not read.
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

// BrokenBody returns the 400 problem for a body that a handler cannot read completely. It returns err itself if the
// body is too large or too slow, since WriteError has problems for both.
func BrokenBody(err error) error {
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge || errors.Is(err, ErrBodyStalled) {
		return err
	}
	return NewProblem(http.StatusBadRequest, "bad-request", "The body is incomplete or malformed.").Because(err)
}

// Read returns ErrBodyStalled instead of a timeout. After an error it returns the same one, and sets no deadline.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	began := time.Now()
	allowed := b.pause + time.Duration(b.read/bodyMinRate)*time.Second - b.waited
	b.wait(began.Add(min(b.pause, allowed)))
	n, err := b.Reader.Read(p)
	b.waited += time.Since(began)
	b.read += int64(n)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("%w after %d bytes: %w", ErrBodyStalled, b.read, err)
	case err != nil:
		// From here on net/http reads ahead to detect a client that disconnects. A deadline that
		// expires then would cancel the request.
		b.setDeadline(time.Time{})
	}
	b.err = err
	return n, err
}

// wait moves the deadline, but extends it only by more than a second, because a small body is read immediately.
func (b *pacedBody) wait(until time.Time) {
	if later := until.Sub(b.until); later < 0 || later > time.Second {
		b.setDeadline(until)
	}
}

// setDeadline ignores writers without deadlines, such as a test's recorder.
func (b *pacedBody) setDeadline(at time.Time) {
	b.until = at
	_ = b.setReadDeadline(at)
}
