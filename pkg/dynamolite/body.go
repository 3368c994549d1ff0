package dynamolite

import (
	"errors"
	"io"
	"net/http"
)

const (
	// maxBodies bounds the total size of all request bodies in memory.
	maxBodies = 128 << 20
	// bodyStep is the initial size of the buffer for a body, unless the body is shorter.
	bodyStep = 64 << 10
)

var errTooManyBodies = &apiError{code: "ServiceUnavailable", message: "The requests in progress use all the memory for request bodies; try again"}

// errBrokenBody means that the client disconnected or that the body is malformed.
var errBrokenBody = &apiError{code: "SerializationException", message: "The request's body is truncated or malformed"}

// readSigned is like readBody, and verifies the signature of the request. It does not read the body of a request
// that it can reject without.
func (e *Engine) readSigned(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	if e.signatures == nil {
		return e.readBody(w, r)
	}
	signature, err := e.signatures.Parse(r)
	if err != nil {
		return nil, err
	}
	if body, err = e.readBody(w, r); err != nil {
		return body, err
	}
	return body, signature.Verify(body)
}

// readBody reads a body into a buffer that grows with the bytes received, and acquires the buffer's
// capacity from e.bodies. The caller must release the capacity of the returned slice, even if there
// is an error.
func (e *Engine) readBody(w http.ResponseWriter, r *http.Request) (body []byte, err error) {
	most := int64(maxRequest)
	if r.ContentLength >= 0 {
		most = min(r.ContentLength, most)
	}
	from := http.MaxBytesReader(w, r.Body, maxRequest)
	for {
		if len(body) == cap(body) {
			size := min(max(2*int64(cap(body)), bodyStep), most)
			if size == int64(cap(body)) {
				return body, ended(from)
			}
			if !e.bodies.TryAcquire(size) {
				return body, errTooManyBodies
			}
			e.bodies.Release(int64(cap(body)))
			body = append(make([]byte, 0, size), body...)
		}
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			if int64(len(body)) < r.ContentLength {
				return body, errBrokenBody
			}
			return body, nil
		}
		if err != nil {
			return body, tooLarge(err)
		}
	}
}

// ended returns an error if a body continues after its declared length or the limit.
func ended(from io.Reader) error {
	n, err := io.ReadFull(from, make([]byte, 1))
	if n == 0 && errors.Is(err, io.EOF) {
		return nil
	}
	if err == nil {
		err = &http.MaxBytesError{Limit: maxRequest}
	}
	return tooLarge(err)
}

func tooLarge(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &apiError{code: "RequestEntityTooLargeException", message: "The request is larger than 16 MB"}
	}
	return errBrokenBody
}
