package photojob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/web"
)

// Names of the parts of a form.
const (
	filePart    = "file"
	promptPart  = "prompt"
	optionsPart = "options"
)

const (
	// maxField is the maximum size in bytes of a part other than the file.
	maxField = 16 << 10
	// undoWait is the timeout of the cleanup after a client has disconnected.
	undoWait = 10 * time.Second
)

func multipartBody() *huma.RequestBody {
	text := &huma.Schema{Type: "string"}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"multipart/form-data": {Schema: &huma.Schema{
			Type: "object", Required: []string{filePart},
			Properties: map[string]*huma.Schema{filePart: {Type: "string", Format: "binary"}, promptPart: text, optionsPart: text},
		}},
	}}
}

// jobTaken describes the response to a form upload, which is not a typed operation.
func jobTaken(r *web.Router) *huma.Response {
	view := r.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[photojob.JobView](), true, "")
	return &huma.Response{
		Description: "The photo is stored and will be edited",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: view}},
		Headers:     map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: "string"}}},
	}
}

// form is the content of a form. A photo is small enough to be buffered in memory, within the limit
// for request bodies, so that its size and digest can be part of the terms of the job.
type form struct {
	terms photojob.Terms
	photo []byte
}

// postMultipart handles POST /v1/photos with a form.
func (a *Area) postMultipart(w http.ResponseWriter, r *http.Request, bodies *web.Bodies) {
	job, err := a.receive(w, r, bodies)
	if err != nil {
		web.WriteError(w, r, problem(err))
		return
	}
	w.Header().Set("Location", location(job))
	web.WriteJSON(w, http.StatusAccepted, job.View())
}

func (a *Area) receive(w http.ResponseWriter, r *http.Request, bodies *web.Bodies) (photojob.Job, error) {
	owner, named := web.Owner(w, r)
	key := r.Header.Get("Idempotency-Key")
	if key != "" && !named {
		return photojob.Job{}, errNoOwner
	}
	if err := a.bus.Admit(r.Context(), photojob.WorkStream, owner); err != nil {
		return photojob.Job{}, err
	}
	hold := bodies.Hold()
	defer hold.Release()
	r.Body = struct {
		io.Reader
		io.Closer
	}{hold.Reader(r.Context(), r.Body), r.Body}
	f, err := readForm(r)
	if err != nil {
		return photojob.Job{}, err
	}
	if f.terms, err = accept(f.terms, "body."); err != nil {
		return photojob.Job{}, err
	}
	job, err := a.create(r.Context(), owner, key, f.terms)
	if err != nil {
		return photojob.Job{}, err
	}
	_, err = a.temp.Put(r.Context(), job.S3TempKey, job.FileType, nil, bytes.NewReader(f.photo))
	if err == nil || errors.Is(err, blob.ErrExists) { // a concurrent call with the same key stored it
		err = a.announcer.Uploaded(r.Context(), job)
	}
	if err != nil && key == "" {
		a.undo(r.Context(), job)
	}
	return job, err
}

// undo deletes the job and the photo of a failed call without an idempotency key, even if the client
// has disconnected.
func (a *Area) undo(ctx context.Context, job photojob.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWait)
	defer cancel()
	if err := a.remove(ctx, job); err != nil {
		a.log.Warn().Err(err).Str("id", job.JobID).Msg("cannot clean up after a failed upload")
	}
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
	if len(f.photo) == 0 {
		return form{}, web.Invalid(web.FieldError{Field: "body." + filePart, Message: "is not a part of the form, or has no photo"})
	}
	sum := sha256.Sum256(f.photo)
	f.terms.Size, f.terms.SHA256 = int64(len(f.photo)), base64.StdEncoding.EncodeToString(sum[:])
	return f, nil
}

// read reads one part. It ignores parts with other names.
func (f *form) read(part *multipart.Part) error {
	limit := int64(maxField)
	name := part.FormName()
	if name == filePart {
		limit = photojob.MaxSize
		if f.photo != nil {
			return web.Invalid(web.FieldError{Field: "body." + filePart, Message: "occurs more than once in the form; send one photo per request"})
		}
	}
	data, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return web.BrokenBody(err)
	}
	switch tooLong := int64(len(data)) > limit; {
	case name == filePart && tooLong:
		return errTooLarge
	case name == filePart:
		f.photo, f.terms.FileName, f.terms.ContentType = data, part.FileName(), part.Header.Get("Content-Type")
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
