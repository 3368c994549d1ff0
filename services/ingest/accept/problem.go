package accept

import (
	"cmp"
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

// Nouns name the items of an area in problems.
type Nouns struct {
	Missing string // a sentence: no item has the id
	Item    string // for example file
	Rows    string // what is stored for an item; by default its rows
	Content string // what is uploaded; by default the item
	Again   string // what to do about content that does not match the reservation; by default to delete the item and reserve again
}

// Problem converts errors that a client can resolve into HTTP problems, those of the area first.
func (s *Items[I]) Problem(err error) error {
	n := s.area.Nouns
	if s.area.Problem != nil {
		err = s.area.Problem(err)
	}
	_, isProblem := errors.AsType[*web.Problem](err)
	moved, isMoved := errors.AsType[*lifecycle.MovedError](err)
	switch {
	case isProblem:
		return err
	case errors.Is(err, ErrForeign):
		return web.NewProblem(http.StatusForbidden, "other-owner", "The "+n.Item+" belongs to another owner. Send the X-Owner-Id that it was uploaded with.")
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound(n.Missing)
	case errors.Is(err, upload.ErrNoBytes):
		return web.NewProblem(http.StatusConflict, "not-uploaded", "The "+cmp.Or(n.Content, n.Item)+" has not been uploaded yet. Send the presigned request first.")
	case errors.Is(err, upload.ErrOtherBytes):
		return web.NewProblem(http.StatusConflict, "not-as-reserved", "The uploaded content does not match the reservation. "+cmp.Or(n.Again, "Delete the "+n.Item+" and reserve again.")).Because(err)
	case errors.Is(err, ErrOtherRequest):
		return web.NewProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "This Idempotency-Key was used with other parameters or other content. Use a new key.")
	case errors.Is(err, ErrNoOwner):
		return web.NewProblem(http.StatusBadRequest, "owner-required", "An Idempotency-Key requires an owner. Send the same X-Owner-Id with it each time.")
	case errors.Is(err, receive.ErrTooLarge):
		return s.Receiver.TooLarge()
	case errors.Is(err, bus.ErrOutstanding):
		return web.Unavailable("A worker is still processing the "+n.Item+". Try again shortly.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrInconsistent):
		return web.Unavailable("The "+cmp.Or(n.Rows, "rows of the "+n.Item)+" differ; the next sweep repairs them.", time.Minute).Because(err)
	case isMoved:
		return web.NewProblem(http.StatusConflict, "wrong-status", fmt.Sprintf("The %s is %s.", n.Item, moved.Found))
	case errors.Is(err, lifecycle.ErrFenceLost), errors.Is(err, lifecycle.ErrCondition):
		return web.NewProblem(http.StatusConflict, "changed-meanwhile", "The "+n.Item+" was changed concurrently. Read it and try again.")
	}
	return parts.Problem(admission.Problem(err))
}
