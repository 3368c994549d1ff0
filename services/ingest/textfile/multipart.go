package textfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

// undoWait is the timeout of the cleanup after a client has disconnected.
const undoWait = 10 * time.Second

// postMultipart is the plain handler for POST /v1/files with a form.
func (a *Area) postMultipart(w http.ResponseWriter, r *http.Request) {
	file, err := a.receive(w, r)
	if err != nil {
		web.WriteError(w, r, a.problem(err))
		return
	}
	w.Header().Set("Location", location(file))
	web.WriteJSON(w, http.StatusAccepted, file.View())
}

func (a *Area) receive(w http.ResponseWriter, r *http.Request) (textfile.File, error) {
	key := r.Header.Get("Idempotency-Key")
	owner, named := web.Owner(w, r)
	if key != "" && !named {
		return textfile.File{}, errNoOwner
	}
	if err := a.bus.Admit(r.Context(), textfile.WorkStream, owner); err != nil {
		return textfile.File{}, err
	}
	if len(key) > receive.MaxKey {
		return textfile.File{}, web.Invalid(web.FieldError{Field: "header.Idempotency-Key", Message: "is longer than 255 bytes"})
	}
	form, leave, err := a.receiver.Form(w, r)
	if err != nil {
		return textfile.File{}, err
	}
	defer leave()
	return a.stream(r.Context(), owner, key, form)
}

// stream accepts a file whose content is in the request body, and streams it to the bucket without
// buffering the file.
func (a *Area) stream(ctx context.Context, owner, idempotencyKey string, form *receive.Form) (textfile.File, error) {
	sent, err := form.File()
	if err != nil {
		return textfile.File{}, err
	}
	defer sent.Close()
	terms := textfile.Reservation{FileName: sent.Name, ContentType: sent.ContentType, Size: -1}
	if problem := checkName("body."+receive.FilePart+".filename", terms.FileName); problem != nil {
		return textfile.File{}, problem
	}
	file, created, err := a.reserve(ctx, owner, idempotencyKey, terms, quota.Item{Bytes: form.Length})
	if err != nil {
		return textfile.File{}, err
	}
	if !created {
		// A repeated call: the content may already be stored, or the first call crashed before storing it.
		err := a.uploads.Check(ctx, file)
		if err == nil {
			file, err = a.repeat(ctx, file, sent)
		}
		if !errors.Is(err, upload.ErrNoBytes) {
			return file, sent.Blame(err)
		}
	}
	// The object needs no trace context: this call publishes the event with the trace of this request.
	object, err := a.bucket.Put(ctx, file.S3Key, terms.ContentType, nil, sent)
	if err == nil {
		err = a.quotas.Stored(ctx, owner, textfile.Name, file.FileID, object.Size)
	}
	switch {
	case err == nil && file.Status == textfile.Pending:
		err = a.uploads.Announce(ctx, file, object)
	case err == nil:
		file, err = a.uploads.Confirm(ctx, file)
	case errors.Is(err, blob.ErrExists):
		// Another call with the same key was faster.
		file, err = a.repeat(ctx, file, sent)
	}
	if err == nil {
		return file, nil
	}
	if idempotencyKey == "" {
		a.undo(ctx, file)
	}
	return textfile.File{}, sent.Blame(err)
}

// repeat confirms a file that another call with the same idempotency key has stored. It returns
// errOtherUpload if this call sends different content.
func (a *Area) repeat(ctx context.Context, file textfile.File, sent *receive.File) (textfile.File, error) {
	// Read the entire body, so that the client has finished sending before it receives the response.
	if _, err := io.Copy(io.Discard, sent); err != nil {
		return textfile.File{}, err
	}
	stored, err := a.bucket.Open(ctx, file.S3Key, "")
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return textfile.File{}, err
	}
	if err == nil { // otherwise the file was deleted, which Confirm detects
		defer stored.Close()
		same, err := sent.Same(stored)
		if err != nil {
			return textfile.File{}, fmt.Errorf("read %s: %w", file.S3Key, err)
		}
		if !same {
			return textfile.File{}, errOtherUpload
		}
	}
	return a.uploads.Confirm(ctx, file)
}

// undo deletes the file and the content of a failed upload, even if the client has disconnected. It
// must not be called for an upload with an idempotency key, because a repeated call may already be
// uploading the same file.
func (a *Area) undo(ctx context.Context, file textfile.File) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWait)
	defer cancel()
	if err := a.remove(ctx, file); err != nil {
		a.log.Warn().Err(err).Str("id", file.FileID).Msg("cannot clean up after a failed upload")
	}
}

// maxNameBytes is the maximum length of a file name, in bytes. It is four times the limit of common file systems.
const maxNameBytes = 1024

// checkName rejects only names that cannot be stored or displayed.
func checkName(field, name string) error {
	switch {
	case name == "":
		return web.Invalid(web.FieldError{Field: field, Message: "is missing"})
	case len(name) > maxNameBytes:
		return web.Invalid(web.FieldError{Field: field, Message: fmt.Sprintf("is longer than %d bytes", maxNameBytes)})
	case !utf8.ValidString(name):
		return web.Invalid(web.FieldError{Field: field, Message: "is not UTF-8"})
	}
	return nil
}
