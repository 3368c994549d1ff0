package newarea

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest"
)

// accepting is the area's part of ingest. The parts of other areas are in services/ingest/<area>.
type accepting struct {
	store store
	bus   *bus.Bus
}

func newAccepting(s ingest.Shared) (ingest.Area, error) {
	return &accepting{store{s.Backends.DB}, s.Backends.Bus}, nil
}

func (a *accepting) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "post-sum", Method: http.MethodPost, Path: "/v1/sums", DefaultStatus: http.StatusAccepted,
	}, a.post)
}

type postInput struct {
	web.CallerParam
	Body struct {
		Numbers []int64 `json:"numbers"`
	}
}

type output struct{ Body sum }

func (a *accepting) post(ctx context.Context, in *postInput) (*output, error) {
	if err := a.bus.Admit(ctx, workStream, in.Caller.Owner); err != nil {
		return nil, err
	}
	item, err := a.store.create(ctx, sum{ID: newID(), OwnerID: in.Caller.Owner, Numbers: in.Body.Numbers})
	if err != nil {
		return nil, err
	}
	return &output{item}, a.bus.Publish(ctx, newAdded(item))
}

// Replay retries a failed item.
func (a *accepting) Replay(ctx context.Context, l bus.DeadLetter) (mine bool, note string, err error) {
	id, mine := strings.CutPrefix(l.Subject, added)
	if !mine {
		return false, "", nil
	}
	item, err := a.store.get(ctx, id)
	if err != nil {
		return true, "", err
	}
	item, err = a.store.move(ctx, retry(), item, table.Key{"errorMessage": table.Text("")})
	if _, moved := errors.AsType[*lifecycle.MovedError](err); moved {
		return true, "the item is not FAILED", nil
	}
	if err != nil {
		return true, "", err
	}
	return true, "", a.bus.Publish(ctx, newAdded(item))
}

func (a *accepting) Check(ctx context.Context) error { return a.store.check(ctx) }

func (*accepting) Uploaded(context.Context, blob.Object) (bool, error) { return false, nil }
