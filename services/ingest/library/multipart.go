package library

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/receive"
)

// parentPart is the name of the multipart field with the id of the folder.
const parentPart = "parentId"

// undoWait is the timeout of the cleanup after a client has disconnected.
const undoWait = 10 * time.Second

// postMultipart is the plain handler for POST /v1/library/files with a form.
func (a *Area) postMultipart(w http.ResponseWriter, r *http.Request) {
	node, err := a.receive(w, r)
	if err != nil {
		web.WriteError(w, r, a.problem(err))
		return
	}
	w.Header().Set("Location", location(node.ID))
	w.Header().Set("ETag", node.ETag())
	web.WriteJSON(w, http.StatusAccepted, node.View(library.Caller{Owner: node.OwnedBy}))
}

func (a *Area) receive(w http.ResponseWriter, r *http.Request) (library.Node, error) {
	key := r.Header.Get("Idempotency-Key")
	owner, named := web.Owner(w, r)
	if err := a.admit(r.Context(), owner, named, key); err != nil {
		return library.Node{}, err
	}
	form, leave, err := a.receiver.Form(w, r)
	if err != nil {
		return library.Node{}, err
	}
	defer leave()
	return a.stream(r.Context(), owner, key, form)
}

// stream accepts a file whose content is in the request body, and streams it to the bucket without
// buffering the file.
func (a *Area) stream(ctx context.Context, owner, idempotencyKey string, form *receive.Form) (library.Node, error) {
	sent, err := form.File(parentPart)
	if err != nil {
		return library.Node{}, err
	}
	defer sent.Close()
	if id := sent.Fields[parentPart]; id != "" && !library.ValidID(id) {
		return library.Node{}, web.Invalid(web.FieldError{Field: "body." + parentPart, Message: "is not a UUID"})
	}
	node, file, created, err := a.reserve(ctx, idempotencyKey, library.NewFile{
		NewNode:     library.NewNode{Owner: owner, ParentID: sent.Fields[parentPart], Name: sent.Name},
		ContentType: sent.ContentType, Length: -1,
	}, quota.Item{Bytes: form.Length})
	if err != nil {
		return library.Node{}, err
	}
	if !created {
		// A repeated call: the content may already be stored, or the first call crashed before storing it.
		_, err := a.announcer.Find(ctx, file)
		if err == nil {
			err = a.repeat(ctx, file, sent)
		}
		if !errors.Is(err, upload.ErrNoBytes) {
			return node, sent.Blame(err)
		}
	}
	// The object needs no trace context: this call publishes the event with the trace of this request.
	object, err := a.bucket.Put(ctx, file.Key, file.ContentType, nil, sent)
	if err == nil {
		err = a.quotas.Stored(ctx, owner, library.Name, file.ID, object.Size)
	}
	switch {
	case err == nil && file.Status == library.Loading:
		err = a.announcer.Stored(ctx, file, object)
	case errors.Is(err, blob.ErrExists):
		// Another call with the same key was faster.
		err = a.repeat(ctx, file, sent)
	}
	if err != nil && idempotencyKey == "" {
		a.undo(ctx, file)
	}
	return node, sent.Blame(err)
}

// repeat announces a file that another call with the same idempotency key has stored. It returns
// errOtherUse if this call sends different content.
func (a *Area) repeat(ctx context.Context, file library.File, sent *receive.File) error {
	// Read the entire body, so that the client has finished sending before it receives the response.
	if _, err := io.Copy(io.Discard, sent); err != nil {
		return err
	}
	stored, err := a.bucket.Open(ctx, file.Key, "")
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	if err == nil { // otherwise the file was deleted, which Uploaded detects
		defer stored.Close()
		same, err := sent.Same(stored)
		if err != nil {
			return fmt.Errorf("read %s: %w", file.Key, err)
		}
		if !same {
			return errOtherUse
		}
	}
	return a.announcer.Uploaded(ctx, file)
}

// undo deletes the file and the content of a failed upload, even if the client has disconnected. It must not be
// called for an upload with an idempotency key, because a repeated call may already be uploading the same file.
func (a *Area) undo(ctx context.Context, file library.File) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoWait)
	defer cancel()
	err := a.bucket.Delete(ctx, file.Key)
	if err == nil {
		err = a.store.Expire(ctx, file)
	}
	if err == nil {
		err = a.quotas.Released(ctx, file.OwnedBy, library.Name, file.ID)
	}
	if err != nil && !errors.Is(err, lifecycle.ErrFenceLost) {
		a.log.Warn().Err(err).Str("id", file.ID).Msg("cannot clean up after a failed upload")
	}
}
