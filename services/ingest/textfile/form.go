package textfile

import (
	"errors"
	"hash/maphash"
	"io"
	"mime/multipart"

	"github.com/assay-project/assay/pkg/web"
)

// formFile reads the bytes of the only file of a form. At their end it reads the rest
// of the form, and fails instead of ending when that has another file: then nothing
// is stored. It fails too once more than a limit were read.
type formFile struct {
	part io.Reader
	rest *multipart.Reader
	left int64 // of the limit, in bytes
	size int64 // the bytes read
	hash maphash.Hash
	err  error // of the client, once there is one; io.EOF at the end
}

func newFormFile(part io.Reader, rest *multipart.Reader, limit int64) *formFile {
	return &formFile{part: part, rest: rest, left: limit}
}

// Read implements io.Reader.
func (f *formFile) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.part.Read(p)
	if f.left -= int64(n); f.left < 0 {
		f.err = errTooLarge
		return 0, f.err
	}
	f.size += int64(n)
	_, _ = f.hash.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) {
		_, _, err = nextFile(f.rest)
		if err == nil {
			err = errTwoFiles
		}
	}
	f.err = err
	return n, err
}

// same reports whether other has the bytes that were read. It reads other to its end.
func (f *formFile) same(other io.Reader) (bool, error) {
	var hash maphash.Hash
	hash.SetSeed(f.hash.Seed())
	size, err := io.Copy(&hash, other)
	return size == f.size && hash.Sum64() == f.hash.Sum64(), err
}

// blame returns the problem of the client's bytes, if they are the reason for err.
func (f *formFile) blame(err error) error {
	switch {
	case err == nil || f.err == nil || errors.Is(f.err, io.EOF):
		return err
	case errors.Is(f.err, errTooLarge):
		return errTooLarge
	case errors.Is(f.err, errTwoFiles):
		return web.Invalid(web.FieldError{Field: "body." + filePart, Message: "occurs more than once in the form; send one file per request"})
	}
	return web.BrokenBody(f.err)
}
