package accept

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/parts"
)

// Creates lists the problems of calls that create items, with an Idempotency-Key.
var Creates = web.Refusals{
	http.StatusBadRequest:            {"owner-required"},
	http.StatusUnprocessableEntity:   {"idempotency-key-reused"},
	http.StatusTooManyRequests:       quota.Refusals[http.StatusTooManyRequests],
	http.StatusRequestEntityTooLarge: quota.Refusals[http.StatusRequestEntityTooLarge],
}

// Located is a response with an item, or with items, at a location.
type Located[V any] struct {
	Location string `header:"Location"`
	Body     V
}

// Target identifies the item of a call, by a UUID, and the caller. It is embedded in inputs.
type Target struct {
	web.CallerParam
	web.IDParam
}

// Item returns the id of the item, and the caller.
func (t Target) Item() (id string, caller web.Caller) { return t.ID, t.Caller }

// target is implemented by inputs that identify an item and the caller.
type target interface {
	Item() (id string, caller web.Caller)
}

// Calls registers calls about items of type I. T is the input of calls without other parameters, and O the response with
// an item.
type Calls[I any, T target, O any] struct {
	Router *web.Router
	Tag    string // of the operations
	Name   string // of an item in the ids of the operations, for example file
	Path   string // of an item, for example /v1/files/{id}
	// Find returns an item that the caller may change.
	Find func(ctx context.Context, id string, caller web.Caller) (I, error)
	// Problem converts errors into HTTP problems.
	Problem func(error) error
	// Output returns the response with an item. The response to a deletion is empty.
	Output func(I, web.Caller) *O
}

// Register is web.Register for a call whose errors problem converts.
func Register[P, O any](r *web.Router, problem func(error) error, op huma.Operation, call func(context.Context, *P) (*O, error), refusals ...web.Refusals) {
	web.Register(r, op, func(ctx context.Context, in *P) (*O, error) {
		out, err := call(ctx, in)
		return out, problem(err)
	}, refusals...)
}

// Post registers the call POST Path/verb, which makes a change.
func (c Calls[I, T, O]) Post(verb, summary string, change Change[I], refusals ...web.Refusals) {
	Post(c, huma.Operation{OperationID: verb + "-" + c.Name, Path: c.Path + "/" + verb, Summary: summary},
		func(ctx context.Context, item I, _ *T) (I, error) { return change(ctx, item) }, refusals...)
}

// Post registers a call that makes a change, with an input P of its own.
func Post[P target, I any, T target, O any](c Calls[I, T, O], op huma.Operation, change func(context.Context, I, *P) (I, error), refusals ...web.Refusals) {
	op.Method, op.Tags, op.DefaultStatus = http.MethodPost, []string{c.Tag}, http.StatusAccepted
	Register(c.Router, c.Problem, op, func(ctx context.Context, in *P) (*O, error) {
		id, caller := (*in).Item()
		item, err := c.Find(ctx, id, caller)
		if err == nil {
			item, err = change(ctx, item, in)
		}
		if err != nil {
			return nil, err
		}
		return c.Output(item, caller), nil
	}, refusals...)
}

// Delete registers the call DELETE Path. It is not an error if the item does not exist.
func (c Calls[I, T, O]) Delete(summary string, remove Change[I], refusals ...web.Refusals) {
	Register(c.Router, c.Problem, huma.Operation{
		OperationID: "delete-" + c.Name, Method: http.MethodDelete, Path: c.Path, Tags: []string{c.Tag}, Summary: summary, DefaultStatus: http.StatusNoContent,
	}, func(ctx context.Context, in *T) (*struct{}, error) {
		id, caller := (*in).Item()
		item, err := c.Find(ctx, id, caller)
		if errors.Is(err, lifecycle.ErrNotFound) {
			return nil, nil
		}
		if err == nil {
			_, err = remove(ctx, item)
		}
		return nil, err
	}, refusals...)
}

type uploadedInput struct {
	Target
	parts.Report
}

// Uploads registers the calls about the upload of an item, with one request or in parts. foreign lists the problems of
// items that the caller may not change, and reported those of the call that reports an upload as finished.
func (c Calls[I, T, O]) Uploads(s *Items[I], foreign, reported web.Refusals) {
	Post(c, huma.Operation{OperationID: c.Name + "-uploaded", Path: c.Path + "/uploaded", Summary: "Report that the presigned upload is finished"},
		func(ctx context.Context, item I, in *uploadedInput) (I, error) {
			if err := s.complete(ctx, item, in.UploadID()); err != nil {
				return item, err
			}
			return item, s.Confirm(ctx, s.Upload(item))
		}, parts.Refusals, foreign, reported)
	s.Parts.Routes(c.Router, parts.Area{
		Path: c.Path, Tag: c.Tag, Name: c.Name, Problem: c.Problem,
		Find: func(ctx context.Context, id string, caller web.Caller) (parts.File, error) {
			item, err := c.Find(ctx, id, caller)
			if err != nil {
				return parts.File{}, err
			}
			return waiting(s.Upload(item))
		},
	}, foreign)
}
