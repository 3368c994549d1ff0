package library

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

func (a *Area) treeRoutes(r *web.Router) {
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "change-library-node", Method: http.MethodPatch, Path: "/v1/library/nodes/{id}", Tags: []string{tag},
		Summary: "Rename or move a node", Description: "Absent fields are not changed. Two nodes of a folder may have the same name, unless uniqueName is set. Send the ETag as If-Match to change only the version that you have read.",
	}, a.patchNode, changes)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "delete-library-node", Method: http.MethodDelete, Path: "/v1/library/nodes/{id}", Tags: []string{tag},
		Summary: "Move a node to the trash, or erase it",
		Description: "With permanent=true, erases the node and everything below it: 204 for a file, which is hidden immediately and whose content is deleted shortly after, " +
			"and 202 for a folder, with the operation in Location. Also returns 204 if the node does not exist.",
		DefaultStatus: http.StatusNoContent,
		Responses:     map[string]*huma.Response{"202": operationTaken()},
	}, a.deleteNode, changes)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "restore-library-node", Method: http.MethodPost, Path: "/v1/library/nodes/{id}/restore", Tags: []string{tag},
		Summary: "Move a node from the trash back to its folder", Description: "If the folder is erased or in the trash, the node is restored to the root.",
		DefaultStatus: http.StatusOK,
	}, a.postRestore, changes)
	accept.Register(r, a.Problem, huma.Operation{
		OperationID: "change-library-nodes", Method: http.MethodPost, Path: "/v1/library/nodes/bulk", Tags: []string{tag},
		Summary: "Move, trash, restore or erase up to 100 nodes", Description: "Executes the operations in order. A failure does not stop the others.",
		DefaultStatus: http.StatusMultiStatus,
	}, a.postBulk)
}

func operationTaken() *huma.Response {
	return &huma.Response{
		Description: "The folder is hidden and is being erased",
		Headers:     map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: "string"}, Description: "the operation"}},
	}
}

// MatchParam is the precondition of a change. It is embedded in input types.
type MatchParam struct {
	IfMatch string `header:"If-Match" doc:"the ETag of the node as last read, or * for any; 412 if it differs"`
}

// edit returns the Edit of a caller with the precondition.
func (p MatchParam) edit(c library.Caller) library.Edit {
	e := library.Edit{By: c.Owner}
	if p.IfMatch == "" || p.IfMatch == "*" {
		return e
	}
	digits, ours := strings.CutPrefix(strings.Trim(p.IfMatch, `"`), "v")
	version, err := strconv.ParseInt(digits, 10, 64)
	if !ours || err != nil || version < 1 {
		version = -1 // matches no version
	}
	e.IfMatch = version
	return e
}

type patchInput struct {
	web.IDParam
	web.CallerParam
	MatchParam
	Body struct {
		Name        *string `json:"name,omitempty" minLength:"1" maxLength:"1024"`
		DisplayName *string `json:"displayName,omitempty" maxLength:"1024" doc:"name to display instead of the name, also for the root; empty removes it"`
		ParentID    *string `json:"parentId,omitempty" format:"uuid" doc:"id of a folder of the same owner"`
		UniqueName  bool    `json:"uniqueName,omitempty" doc:"reject a new name or folder with 409 if another node of the folder has the same name; concurrent changes can nevertheless lead to equal names"`
	}
}

func (a *Area) patchNode(ctx context.Context, in *patchInput) (*nodeOutput, error) {
	c := caller(in.Caller)
	if _, err := a.store.Writable(ctx, in.ID, c); err != nil {
		return nil, err
	}
	if display := in.Body.DisplayName; display != nil {
		if _, err := library.CleanDisplayName(*display); err != nil {
			return nil, web.Invalid(web.FieldError{Field: "body.displayName", Message: err.Error()})
		}
	}
	node, err := a.store.Change(ctx, in.ID, library.Change{Name: in.Body.Name, DisplayName: in.Body.DisplayName, ParentID: in.Body.ParentID, Unique: in.Body.UniqueName}, in.edit(c))
	if err != nil && in.Body.ParentID != nil {
		err = a.refused(ctx, err, *in.Body.ParentID, c)
	}
	return output(node, c), err
}

type deleteInput struct {
	web.IDParam
	web.CallerParam
	MatchParam
	Permanent bool `query:"permanent" doc:"erase the node permanently, even if it is in the trash"`
}

type deleteOutput struct {
	Status   int
	Location string `header:"Location"`
}

func (a *Area) deleteNode(ctx context.Context, in *deleteInput) (*deleteOutput, error) {
	c := caller(in.Caller)
	var w library.Workflow
	_, err := a.store.Writable(ctx, in.ID, c)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) && in.Permanent:
		w, err = a.eraseAgain(ctx, in.ID, c)
	case err != nil:
	case !in.Permanent:
		_, err = a.store.Trash(ctx, in.ID, in.edit(c))
	default:
		w, err = a.erase(ctx, in.ID, in.edit(c))
	}
	out := &deleteOutput{Status: http.StatusNoContent}
	if err == nil && w.CorrelationID != w.FileID { // a folder
		out = &deleteOutput{Status: http.StatusAccepted, Location: operationPath(w)}
	}
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return nil, err
	}
	return out, nil
}

// erase hides a node permanently and publishes the operation that deletes it.
func (a *Area) erase(ctx context.Context, id string, e library.Edit) (library.Workflow, error) {
	w, err := a.store.Erase(ctx, id, e)
	if err != nil {
		return w, err
	}
	return w, a.publishErase(ctx, w)
}

// publishErase publishes the operation that deletes a node. Content of the node that is uploaded later is deleted.
func (a *Area) publishErase(ctx context.Context, w library.Workflow) error {
	if err := a.Withdrawn.Add(ctx, library.Name, w.FileID, time.Now()); err != nil {
		return err
	}
	return a.Bus.Ensure(ctx, w.Erase())
}

// eraseAgain publishes the operation again for a node of the caller that is already being erased, because the
// previous call may have failed before it published the operation.
func (a *Area) eraseAgain(ctx context.Context, id string, c library.Caller) (library.Workflow, error) {
	n, err := a.store.Get(ctx, id)
	if err != nil || !n.Erasing() || n.OwnedBy != c.Owner {
		return library.Workflow{}, err
	}
	return a.erase(ctx, id, library.Edit{By: c.Owner})
}

type restoreInput struct {
	web.IDParam
	web.CallerParam
	MatchParam
}

func (a *Area) postRestore(ctx context.Context, in *restoreInput) (*nodeOutput, error) {
	c := caller(in.Caller)
	_, err := a.store.Writable(ctx, in.ID, c)
	var node library.Node
	if err == nil {
		node, err = a.store.Restore(ctx, in.ID, in.edit(c))
	}
	return output(node, c), err
}

type bulkInput struct {
	web.CallerParam
	Body struct {
		Operations []bulkOperation `json:"operations" minItems:"1" maxItems:"100"`
	}
}

type bulkOperation struct {
	Op       string `json:"op" enum:"move,trash,restore,erase"`
	ID       string `json:"id" format:"uuid"`
	ParentID string `json:"parentId,omitempty" format:"uuid" doc:"target folder of a move; default: the root"`
	Version  int64  `json:"version,omitempty" minimum:"1" doc:"version that the node must have; default: any"`
}

type bulkOutput struct {
	Status int
	Body   bulkOutcomes
}

type bulkOutcomes struct {
	Outcomes []bulkOutcome `json:"outcomes" doc:"in the order of the operations"`
}

type bulkOutcome struct {
	ID        string            `json:"id" format:"uuid"`
	Status    int               `json:"status" doc:"the HTTP status that the operation alone would get" example:"200"`
	Node      *library.NodeView `json:"node,omitempty" doc:"the node after the operation; absent after an erase"`
	Operation string            `json:"operation,omitempty" doc:"path of the operation that erases a folder"`
	Type      string            `json:"type,omitempty" doc:"the type of the problem that the operation alone would get" example:"urn:assay:problem:not-found"`
	Detail    string            `json:"detail,omitempty"`
}

func (a *Area) postBulk(ctx context.Context, in *bulkInput) (*bulkOutput, error) {
	c := caller(in.Caller)
	operations := make([]library.Operation, len(in.Body.Operations))
	for i, o := range in.Body.Operations {
		operations[i] = library.Operation{Op: library.Op(o.Op), ID: strings.ToLower(o.ID), ParentID: strings.ToLower(o.ParentID), IfMatch: o.Version}
	}
	done, err := a.store.Bulk(ctx, c, operations)
	if err != nil {
		return nil, err
	}
	list := bulkOutcomes{Outcomes: make([]bulkOutcome, len(done))}
	for i, d := range done {
		if list.Outcomes[i], err = a.outcome(ctx, operations[i], d, c); err != nil {
			return nil, err
		}
	}
	return &bulkOutput{Status: http.StatusMultiStatus, Body: list}, nil
}

// outcome returns the result of an operation for the response, and publishes an erase operation. It returns
// backend errors, which fail the request; the client can then repeat the request.
func (a *Area) outcome(ctx context.Context, o library.Operation, done library.Outcome, c library.Caller) (bulkOutcome, error) {
	out := bulkOutcome{ID: o.ID, Status: http.StatusOK}
	if o.Op == library.OpErase && errors.Is(done.Err, lifecycle.ErrNotFound) {
		if w, err := a.eraseAgain(ctx, o.ID, c); err == nil && w.CorrelationID != "" {
			done = library.Outcome{Erase: w}
		}
	}
	switch {
	case done.Err != nil:
		p, known := errors.AsType[*web.Problem](a.Problem(done.Err))
		if !known {
			return out, done.Err
		}
		out.Status, out.Type, out.Detail = p.Status, p.Type, p.Detail
	case o.Op == library.OpErase:
		out.Status = http.StatusNoContent
		if done.Erase.CorrelationID != done.Erase.FileID {
			out.Status, out.Operation = http.StatusAccepted, operationPath(done.Erase)
		}
		return out, a.publishErase(ctx, done.Erase)
	default:
		view := done.Node.View(c)
		out.Node = &view
	}
	return out, nil
}

func operationPath(w library.Workflow) string { return "/v1/library/operations/" + w.CorrelationID }
