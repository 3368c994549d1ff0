package newarea

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query"
	"github.com/assay-project/assay/services/query/wait"
)

// reading is the area's part of query. The parts of other areas are in services/query/<area>.
type reading struct {
	store store
	waits *wait.Waits
}

func newReading(s query.Shared) (query.Area, error) {
	return &reading{store{s.Backends.DB}, s.Waits}, nil
}

func (a *reading) Routes(r *web.Router) {
	web.Register(r, huma.Operation{OperationID: "get-sum", Method: http.MethodGet, Path: "/v1/sums/{id}"}, a.get)
}

type getInput struct {
	web.IDParam
	wait.Param
}

func (a *reading) get(ctx context.Context, in *getInput) (*output, error) {
	item, err := wait.Read(ctx, a.waits, areaName, in.ID, in.Param, a.store.get, func(s sum) bool { ended, _ := s.ended(); return ended })
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, web.NotFound("There is no sum with this id.")
	}
	return &output{item}, err
}

func (a *reading) Check(ctx context.Context) error { return a.store.check(ctx) }
