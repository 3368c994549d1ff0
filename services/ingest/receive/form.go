package receive

import (
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/assay-project/assay/pkg/web"
)

// FilePart is the name of the multipart field that contains the file.
const FilePart = "file"

const (
	// maxType is the maximum length of a media type, in bytes. S3 stores it in a header.
	maxType = 255
	// maxField is the maximum size in bytes of a part other than the file.
	maxField = 1 << 10
)

var errTwoFiles = errors.New("the form has more than one file")

// Form is a form with one file.
type Form struct {
	Length int64 // size of the form in bytes, at least that of the file; -1 if unknown

	parts *multipart.Reader
	limit int64 // maximum size of the file in bytes
}

// File is the only file of a form. Its content is read at most once. At the end of the file, Read
// also reads the rest of the form and fails if it contains another file, so that nothing is stored.
// Read also fails if the file exceeds the size limit.
type File struct {
	Name        string // as sent by the client
	ContentType string
	Fields      map[string]string // requested fields that precede the file

	part io.ReadCloser
	form *Form
	left int64 // remaining bytes up to the limit
	size int64 // bytes read so far
	hash maphash.Hash
	err  error // client error, if any; io.EOF at the end
}

// File reads the form up to the content of its file, and the requested fields before it. The caller
// closes it.
func (f *Form) File(wanted ...string) (*File, error) {
	fields := map[string]string{}
	for {
		part, name, fileName, err := f.next()
		switch {
		case err == io.EOF: //nolint:errorlint // next returns it only at the end
			return nil, web.Invalid(web.FieldError{Field: "body." + FilePart, Message: "is not a part of the form, or has no file"})
		case err != nil:
			return nil, web.BrokenBody(err)
		case name == FilePart:
			file := &File{Name: fileName, ContentType: part.Header.Get("Content-Type"), Fields: fields, part: part, form: f, left: f.limit}
			return file, file.checkType()
		}
		for _, field := range wanted {
			if name == field {
				value, err := io.ReadAll(io.LimitReader(part, maxField))
				if err != nil {
					return nil, web.BrokenBody(err)
				}
				fields[name] = string(value)
			}
		}
	}
}

// next skips to the next part with a name, and returns it with the original file name, because
// Part.FileName would remove directories. Browsers encode only quotes in the name, as %22 (HTML
// standard, multipart form data). next returns io.EOF at the end.
func (f *Form) next() (part *multipart.Part, name, fileName string, err error) {
	for {
		part, err := f.parts.NextRawPart()
		if err == io.EOF { //nolint:errorlint // the error for a truncated form wraps it
			return nil, "", "", io.EOF
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, "", "", err
		}
		disposition, parameters, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		if err == nil && disposition == "form-data" {
			return part, parameters["name"], strings.ReplaceAll(parameters["filename"], "%22", `"`), nil
		}
	}
}

func (f *File) checkType() error {
	if f.ContentType == "" {
		f.ContentType = DefaultContentType
	}
	if len(f.ContentType) > maxType || strings.ContainsFunc(f.ContentType, notPrintable) {
		return web.Invalid(web.FieldError{
			Field: "body." + FilePart + ".contentType", Message: fmt.Sprintf("is longer than %d bytes, or not printable ASCII", maxType),
		})
	}
	return nil
}

func notPrintable(r rune) bool { return r < ' ' || r > '~' }

// Close stops reading the file.
func (f *File) Close() { _ = f.part.Close() } // a failure loses no data

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.part.Read(p)
	if f.left -= int64(n); f.left < 0 {
		f.err = ErrTooLarge
		return 0, f.err
	}
	f.size += int64(n)
	_, _ = f.hash.Write(p[:n]) // never fails
	if errors.Is(err, io.EOF) {
		err = f.rest()
	}
	f.err = err
	return n, err
}

// rest reads the rest of the form. It returns io.EOF at the end, errTwoFiles or a read error.
func (f *File) rest() error {
	for {
		_, name, _, err := f.form.next()
		if err != nil {
			return err
		}
		if name == FilePart {
			return errTwoFiles
		}
	}
}

// Same reports whether other has the same content. It reads all of other.
func (f *File) Same(other io.Reader) (bool, error) {
	var hash maphash.Hash
	hash.SetSeed(f.hash.Seed())
	size, err := io.Copy(&hash, other)
	return size == f.size && hash.Sum64() == f.hash.Sum64(), err
}

// Blame returns an HTTP problem if the client's input caused err, and err otherwise.
func (f *File) Blame(err error) error {
	switch {
	case err == nil || f.err == nil || errors.Is(f.err, io.EOF):
		return err
	case errors.Is(f.err, ErrTooLarge):
		return ErrTooLarge
	case errors.Is(f.err, errTwoFiles):
		return web.Invalid(web.FieldError{Field: "body." + FilePart, Message: "occurs more than once in the form; send one file per request"})
	}
	return web.BrokenBody(f.err)
}
