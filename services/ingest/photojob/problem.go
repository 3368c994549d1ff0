package photojob

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/upload"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
)

// problem converts errors that a client can resolve into HTTP problems.
func problem(err error) error {
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("There is no photo job with this id.")
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The photo has not been uploaded yet. Send the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The uploaded content does not match the reservation. Delete the job and create another.").Because(err)
	case errors.Is(err, errGone):
		return web.NewProblem(http.StatusGone, "upload-removed", "The uploaded photo has been removed. Upload it again.")
	case errors.Is(err, errOtherTerms):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used with other parameters or other content. Use a new key.")
	case errors.Is(err, errNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key requires an owner. Send the same X-Owner-Id with it each time.")
	case errors.Is(err, errTooLarge):
		return web.NewProblem(http.StatusRequestEntityTooLarge, "file-too-large", fmt.Sprintf("A photo may have at most %d bytes.", photojob.MaxSize))
	case errors.Is(err, errMediaType):
		return web.NewProblem(http.StatusUnsupportedMediaType, "not-a-photo",
			"A photo is "+strings.Join(photojob.FileTypes(), ", ")+". Convert others, such as AVIF, before the upload.")
	case errors.Is(err, errNoProvider):
		return web.NewProblem(http.StatusConflict, "provider-disabled", "The provider is not enabled on this server. Choose another, such as stub.")
	case errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("A worker is still processing the job. Try again shortly.", time.Second).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "wrong-status", fmt.Sprintf("The job is %s.", moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrCondition):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The job was changed concurrently. Read it and try again.")
	}
	return admission.Problem(err)
}
