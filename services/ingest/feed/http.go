package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
)

type batchOutcome struct {
	Results []itemOutcome `json:"results" nullable:"false" doc:"in the order of the items"`
}

type batch struct {
	Items []feed.Submission `json:"items" minItems:"1" maxItems:"100"`
}

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	schema := func(t reflect.Type) *huma.Schema {
		return r.API.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
	}
	body := func(description string, t reflect.Type) *huma.Response {
		return &huma.Response{Description: description, Content: map[string]*huma.MediaType{"application/json": {Schema: schema(t)}}}
	}
	r.Handle(huma.Operation{
		OperationID: "post-feed-items", Method: http.MethodPost, Path: "/v1/feed/items", Tags: []string{"feed"},
		Summary: "Put an item into the feed, or up to 100",
		Description: "The source id makes repeats harmless: one source id is one item, whoever sends it how often. A repeat " +
			"adds the tags that the item does not have, up to 5, and changes nothing else. Of simultaneous posts one wins with all it says. " +
			"When the item's text was lost, a pending item keeps its time and gets text, URL and metadata of the repeat. A batch always answers 207 with " +
			"an outcome for each item, unless there is no room for any: then it is refused as one item is. The items of a " +
			"batch are accepted while the body is read. When a backend fails, or the rest of the body cannot be read, the " +
			"call fails after some items were accepted; send the whole batch again.",
		MaxBodyBytes: maxFeedBody,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: &huma.Schema{OneOf: []*huma.Schema{schema(reflect.TypeFor[feed.Submission]()), schema(reflect.TypeFor[batch]())}},
		}}},
		Responses: map[string]*huma.Response{
			"200": body("One item, which was there already", reflect.TypeFor[feed.ItemView]()),
			"201": body("One item, created", reflect.TypeFor[feed.ItemView]()),
			"207": body("The outcomes of a batch", reflect.TypeFor[batchOutcome]()),
		},
	}, func(w http.ResponseWriter, req *http.Request) { a.post(w, req, r.Bodies) })
}

func (a *Area) post(w http.ResponseWriter, r *http.Request, bodies *web.Bodies) {
	err := a.bus.Admit(r.Context(), feed.WorkStream, "") // before the body is read
	if err == nil {
		var body *itemBody
		var many bool
		body, many, err = openItems(r, bodies)
		switch {
		case err != nil:
		case many:
			err = a.postMany(w, r, body)
		default:
			err = a.postOne(w, r, body)
		}
	}
	if err != nil {
		web.WriteError(w, r, admission.Problem(err))
	}
}

func (a *Area) postOne(w http.ResponseWriter, r *http.Request, body *itemBody) error {
	hold := body.bodies.Hold()
	defer hold.Release()
	raw, err := body.one(hold)
	if err != nil {
		return err
	}
	submission, wrong := parseItem(raw)
	if len(wrong) > 0 {
		return web.Invalid(wrong...)
	}
	item, created, err := a.acceptBounded(r.Context(), submission, len(raw))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/feed/items/"+url.PathEscape(item.SourceID))
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	web.WriteJSON(w, status, item.View())
	return nil
}

func (a *Area) postMany(w http.ResponseWriter, r *http.Request, body *itemBody) error {
	results, err := a.acceptAll(r.Context(), body.each())
	if err != nil {
		return err
	}
	refused, all := refusal(results)
	if all {
		return refused
	}
	if refused != nil {
		w.Header().Set("Retry-After", admission.RetryAfter())
	}
	for i, result := range results {
		if problem, ok := errors.AsType[*web.Problem](admission.Problem(result.refusal)); ok {
			results[i].Type = problem.Type
		}
	}
	web.WriteJSON(w, http.StatusMultiStatus, batchOutcome{results})
	return nil
}

// parseItem reads and checks one item. Of an item that cannot be read it returns
// what it could read.
func parseItem(raw json.RawMessage) (feed.Submission, []web.FieldError) {
	var submission feed.Submission
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&submission)
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return submission, []web.FieldError{{Field: strings.TrimSuffix("body."+mistyped.Field, "."), Message: "is of the wrong type: " + mistyped.Value}}
	}
	if err != nil {
		// The package has no type for this error.
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return submission, []web.FieldError{{Field: "body." + strings.Trim(name, `"`), Message: "is a field that an item does not have"}}
		}
		return submission, []web.FieldError{{Field: "body", Message: "is not an object of JSON"}}
	}
	return submission, fieldErrors(submission.Check(time.Now()))
}

// fieldErrors are violations in the words of the API.
func fieldErrors(violations []feed.Violation) []web.FieldError {
	wrong := make([]web.FieldError, len(violations))
	for i, v := range violations {
		wrong[i] = web.FieldError{Field: "body." + v.Field, Message: v.Message}
	}
	return wrong
}
