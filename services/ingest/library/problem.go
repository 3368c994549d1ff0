package library

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

var (
	// errNoOwner reports an idempotency key without an owner. Keys are scoped to owners.
	errNoOwner = errors.New("an idempotency key requires an owner")
	// errOtherUse reports that an idempotency key was used for another request.
	errOtherUse = errors.New("the idempotency key was used for another request")
	errNotFile  = errors.New("the node is not a file")
)

// keyed, changes and processing list the problems of calls with an Idempotency-Key, of calls that change
// a node, and of calls about the processing of a file.
var (
	keyed   = web.Refusals{http.StatusBadRequest: {"owner-required"}, http.StatusUnprocessableEntity: {"idempotency-key-reused"}}
	changes = web.Refusals{
		http.StatusForbidden:          {"other-owner"},
		http.StatusNotFound:           {"not-found"},
		http.StatusConflict:           {"cycle", "in-trash", "not-in-trash", "not-a-folder", "too-deep", "root", "other-owner", "too-many-principals", "too-many-links", "identity-required", "changed-meanwhile"},
		http.StatusPreconditionFailed: {"precondition-failed"},
	}
	processing = web.Refusals{
		http.StatusForbidden: {"other-owner"},
		http.StatusConflict:  {"in-trash", "not-a-file", "not-failed", "not-uploaded", "not-as-reserved", "wrong-status", "changed-meanwhile"},
		http.StatusGone:      {"steps-removed"},
	}
)

// conflicts maps errors that depend on the state of the tree to problem types. The text of the
// error is the detail.
var conflicts = []struct {
	err  error
	slug string
}{
	{library.ErrCycle, "cycle"},
	{library.ErrTrashed, "in-trash"},
	{library.ErrNotTrashed, "not-in-trash"},
	{library.ErrNotFolder, "not-a-folder"},
	{errNotFile, "not-a-file"},
	{library.ErrTooDeep, "too-deep"},
	{library.ErrRoot, "root"},
	{library.ErrOwner, "other-owner"},
	{library.ErrStep, "not-failed"},
	{library.ErrPrincipals, "too-many-principals"},
	{library.ErrLinks, "too-many-links"},
}

// problem converts errors that a client can resolve into HTTP problems.
func (a *Area) problem(err error) error {
	for _, c := range conflicts {
		if errors.Is(err, c.err) {
			return web.NewProblem(http.StatusConflict, c.slug, sentence(c.err))
		}
	}
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("The library has no node with this id.")
	case errors.Is(err, library.ErrForbidden):
		return web.NewProblem(http.StatusForbidden, "other-owner", "Only the owner of a node can change it.")
	case errors.Is(err, library.ErrName):
		return web.Invalid(web.FieldError{Field: "body.name", Message: err.Error()})
	case errors.Is(err, library.ErrVersion):
		return web.NewProblem(http.StatusPreconditionFailed, "precondition-failed", "The node has changed since it was read. Read it and try again.")
	case errors.Is(err, library.ErrNoWorkflow):
		return web.NewProblem(http.StatusGone, "steps-removed", "The steps of this file are no longer stored. Retry the file.")
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The file has not been uploaded yet. Send the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The uploaded content does not match the reservation. Delete the file and reserve again.").Because(err)
	case errors.Is(err, errOtherUse), errors.Is(err, library.ErrExists):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used with other parameters or other content. Use a new key.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key requires an owner. Send the same X-Owner-Id with it each time.")
	case errors.Is(err, receive.ErrTooLarge):
		return a.receiver.TooLarge()
	case errors.Is(err, library.ErrBusy), errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("The node is being changed concurrently. Try again shortly.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrInconsistent):
		return web.Unavailable("The file and its node differ; the next sweep repairs them.", time.Minute).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "wrong-status", fmt.Sprintf("The file is %s.", moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrCondition):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The file was changed concurrently. Read it and try again.")
	}
	return parts.Problem(admission.Problem(err))
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}
