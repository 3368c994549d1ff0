package library

import (
	"errors"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
)

var (
	errNotFile      = errors.New("the node is not a file")
	errNotProcessed = errors.New("the records of the file are not processed yet")
	errNoRecords    = errors.New("the file has no records")
	errNotModel     = errors.New("the node is not a model")
	errNotTrained   = errors.New("the model is not trained: its training has not ended, or it failed")
)

// changes and processing list the problems of calls that change a node, and of calls about the processing of a file.
var (
	changes = web.Refusals{
		http.StatusForbidden:          {"other-owner"},
		http.StatusNotFound:           {"not-found"},
		http.StatusConflict:           {"cycle", "name-taken", "in-trash", "not-in-trash", "not-a-folder", "too-deep", "root", "other-owner", "too-many-principals", "too-many-links", "identity-required", "changed-meanwhile"},
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
	{errNotProcessed, "not-processed"},
	{errNoRecords, "no-records"},
	{errNotModel, "not-a-model"},
	{errNotTrained, "not-trained"},
	{library.ErrTooDeep, "too-deep"},
	{library.ErrRoot, "root"},
	{library.ErrOwner, "other-owner"},
	{library.ErrStep, "not-failed"},
	{library.ErrPrincipals, "too-many-principals"},
	{library.ErrLinks, "too-many-links"},
}

// problem converts the errors of the library that a client can resolve into HTTP problems.
func problem(err error) error {
	for _, c := range conflicts {
		if errors.Is(err, c.err) {
			return web.NewProblem(http.StatusConflict, c.slug, sentence(c.err))
		}
	}
	switch {
	case errors.Is(err, library.ErrLink):
		return web.NewProblem(http.StatusNotFound, "link-not-valid", "The link has expired or was revoked.")
	case errors.Is(err, library.ErrForbidden):
		return web.NewProblem(http.StatusForbidden, "other-owner", "Only the owner of a node can change it.")
	case errors.Is(err, library.ErrNameTaken):
		return web.NewProblem(http.StatusConflict, "name-taken",
			"The folder already has a node with this name. Choose another name, move that node to the trash first, or omit uniqueName to keep both.")
	case errors.Is(err, library.ErrName):
		return web.Invalid(web.FieldError{Field: "body.name", Message: err.Error()})
	case errors.Is(err, library.ErrVersion):
		return web.NewProblem(http.StatusPreconditionFailed, "precondition-failed", "The node has changed since it was read. Read it and try again.")
	case errors.Is(err, library.ErrNoWorkflow):
		return web.NewProblem(http.StatusGone, "steps-removed", "The steps of this file are no longer stored. Retry the file.")
	case errors.Is(err, library.ErrBusy):
		return web.Unavailable("The node is being changed concurrently. Try again shortly.", time.Second).Because(err)
	case errors.Is(err, lifecycle.ErrExists):
		return accept.ErrOtherRequest
	}
	return err
}

// sentence returns the text of an error as a sentence.
func sentence(err error) string {
	text := err.Error()
	return string(text[0]-'a'+'A') + text[1:] + "."
}
