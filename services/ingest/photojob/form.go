package photojob

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"slices"

	"github.com/gabriel-vasile/mimetype"

	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/receive"
)

// Names of the parts of a form.
const (
	promptPart  = "prompt"
	optionsPart = "options"
)

// maxField is the maximum size in bytes of a part other than the file.
const maxField = 16 << 10

// form is the content of a form. A photo is small enough to be buffered in memory, within the limit
// for request bodies, so that its size and digest can be part of the terms of the job.
type form struct {
	terms photojob.Terms
	photo []byte
}

// postMultipart returns the plain handler for POST /v1/photos with a form.
func (a *Area) postMultipart(bodies *web.Bodies) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		defer bodies.HoldBody(r)()
		job, err := a.receive(w, r)
		a.Respond(w, r, location(job), job.View(), err)
	}
}

func (a *Area) receive(w http.ResponseWriter, r *http.Request) (job photojob.Job, err error) {
	owner, named := web.Owner(w, r)
	key := r.Header.Get("Idempotency-Key")
	if err := a.Admit(r.Context(), owner, named, key); err != nil {
		return job, err
	}
	f, err := readForm(r)
	if err != nil {
		return job, err
	}
	if f.terms, err = checked(f.terms, "body."); err != nil {
		return job, err
	}
	job, created, err := a.create(r.Context(), owner, key, f.terms, nil)
	if err != nil {
		return job, err
	}
	return job, a.Put(r.Context(), job, created, key, job.FileType, accept.Known(f.photo))
}

func readForm(r *http.Request) (form, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return form{}, web.BrokenBody(err)
	}
	var f form
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return form{}, web.BrokenBody(err)
		}
		if err := f.read(part); err != nil {
			return form{}, err
		}
	}
	switch {
	case f.photo == nil:
		return form{}, web.Invalid(web.FieldError{Field: "body." + receive.FilePart, Message: "is not a part of the form"})
	case len(f.photo) == 0:
		return form{}, empty()
	}
	sum := sha256.Sum256(f.photo)
	f.terms.Size, f.terms.SHA256 = int64(len(f.photo)), base64.StdEncoding.EncodeToString(sum[:])
	return f, nil
}

// read reads one part. It ignores parts with other names.
func (f *form) read(part *multipart.Part) error {
	limit := int64(maxField)
	name := part.FormName()
	if name == receive.FilePart {
		limit = photojob.MaxSize
		if f.photo != nil {
			return web.Invalid(web.FieldError{Field: "body." + receive.FilePart, Message: "occurs more than once in the form; send one photo per request"})
		}
	}
	data, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return web.BrokenBody(err)
	}
	switch tooLong := int64(len(data)) > limit; {
	case name == receive.FilePart && tooLong:
		return tooLarge()
	case name == receive.FilePart:
		f.photo, f.terms.FileName, f.terms.ContentType = data, part.FileName(), contentType(part.Header.Get("Content-Type"), data)
	case tooLong:
		return web.Invalid(web.FieldError{Field: "body." + name, Message: "is too long"})
	case name == promptPart:
		f.terms.Prompt = string(data)
	case name == optionsPart:
		if err := json.Unmarshal(data, &f.terms.Options); err != nil {
			return web.Invalid(web.FieldError{Field: "body." + optionsPart, Message: "is not a JSON object of options"})
		}
	}
	return nil
}

// contentType returns the media type of a file: that of its content if it is one of a photo, else the declared one.
func contentType(declared string, data []byte) string {
	if found := mimetype.Detect(data).String(); slices.Contains(photojob.FileTypes(), found) {
		return found
	}
	return declared
}
