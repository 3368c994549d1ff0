package textfile

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/parts"
	"github.com/assay-project/assay/services/ingest/receive"
)

// errNoOwner reports an idempotency key without an owner. Keys are scoped to owners.
var errNoOwner = errors.New("an idempotency key requires an owner")

// problem converts errors that a client can resolve into HTTP problems.
func (a *Area) problem(err error) error {
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no text file with this id.")
	case errors.Is(err, errForeign):
		return web.NewProblem(http.StatusForbidden, "other-owner", "The file belongs to another owner. Send the X-Owner-Id that it was uploaded with.")
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The file has not been uploaded yet. Send the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The uploaded content does not match the reservation. Delete the file and reserve again.").Because(err)
	case errors.Is(err, errOtherUpload):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used for an upload with other parameters or other content. Use a new key.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key requires an owner. Send the same X-Owner-Id with it each time.")
	case errors.Is(err, receive.ErrTooLarge):
		return a.receiver.TooLarge()
	case errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("A worker is still processing the file. Try again shortly.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrInconsistent):
		return web.Unavailable("The file and its list entry differ; the next sweep repairs them.", time.Minute).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "not-failed", fmt.Sprintf("Only a FAILED file can be retried; this one is %s.", moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The file was changed concurrently. Read it and try again.")
	}
	return parts.Problem(admission.Problem(err))
}
