package textfile

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/textfile/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
)

// errNoOwner reports an idempotency key without an owner, whose key it would be.
var errNoOwner = errors.New("the idempotency key comes without an owner")

// problem returns the problem of an error that a client can do something about.
func (a *Area) problem(err error) error {
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("No text file with this id.")
	case errors.Is(err, errForeign):
		return web.NewProblem(http.StatusForbidden, "other-owner", "The file belongs to another owner. Send the X-Owner-Id that it was uploaded with.")
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The bytes are not there yet. Make the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The bytes are not what was reserved. Delete the file and reserve again.").Because(err)
	case errors.Is(err, errOtherUpload):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used for an upload with other terms or other bytes. Use a new key.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key needs an owner. Send X-Owner-Id with it, the same with each repeat.")
	case errors.Is(err, errTooLarge):
		return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("The largest file is %d bytes.", a.cfg.MaxSize))
	case errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("The file's last worker has not let go of it yet.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrInconsistent):
		return web.Unavailable("The file and its place in the list differ; the next sweep brings them together.", time.Minute).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "not-failed", fmt.Sprintf("Only a FAILED file can be retried; this one is %s.", moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The file was changed at the same time. Look at it and try again.")
	}
	return admission.Problem(err)
}
