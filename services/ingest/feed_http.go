package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/web"
)

const (
	maxBatch = 100
	// maxFeedBody is a full batch of the longest texts with every character
	// escaped as JSON allows, and room for what goes with them.
	maxFeedBody = 16 << 20
)

type batchOutcome struct {
	Results []itemOutcome `json:"results" nullable:"false" doc:"in the order of the items"`
}

type batch struct {
	Items []feed.Submission `json:"items" minItems:"1" maxItems:"100"`
}

// routes registers the feed calls that write.
func (f *feedItems) routes(r *web.Router) {
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
			"adds the tags that the item does not have, up to 5, and changes nothing else, unless the item's text was lost: then the " +
			"text of the repeat takes its place, and a pending item is analyzed by it. A batch always answers 207 with " +
			"an outcome for each item, unless there is no room for any: then it is refused as one item is. When an engine " +
			"fails, the whole batch fails and can be sent again.",
		MaxBodyBytes: maxFeedBody,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: &huma.Schema{OneOf: []*huma.Schema{schema(reflect.TypeFor[feed.Submission]()), schema(reflect.TypeFor[batch]())}},
		}}},
		Responses: map[string]*huma.Response{
			"200": body("One item, which was there already", reflect.TypeFor[feed.ItemView]()),
			"201": body("One item, created", reflect.TypeFor[feed.ItemView]()),
			"207": body("The outcomes of a batch", reflect.TypeFor[batchOutcome]()),
		},
	}, f.post)
}

func (f *feedItems) post(w http.ResponseWriter, r *http.Request) {
	if err := f.bus.Admit(r.Context(), ""); err != nil { // before the body is taken in
		web.WriteError(w, r, fullProblem(err))
		return
	}
	one, many, err := readItems(r)
	switch {
	case err != nil:
	case many == nil:
		err = f.postOne(w, r, one)
	default:
		err = f.postMany(w, r, many)
	}
	if err != nil {
		web.WriteError(w, r, fullProblem(err))
	}
}

func (f *feedItems) postOne(w http.ResponseWriter, r *http.Request, raw json.RawMessage) error {
	submission, wrong := parseItem(raw)
	if len(wrong) > 0 {
		return web.Invalid(wrong...)
	}
	item, created, err := f.accept(r.Context(), submission)
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

func (f *feedItems) postMany(w http.ResponseWriter, r *http.Request, items []json.RawMessage) error {
	several := make([]candidate, len(items))
	for i, raw := range items {
		several[i].Submission, several[i].wrong = parseItem(raw)
	}
	results, err := f.acceptAll(r.Context(), several)
	if err != nil {
		return err
	}
	refused, all := refusal(results)
	if all {
		return refused
	}
	if refused != nil {
		w.Header().Set("Retry-After", fullRetry)
	}
	for i, result := range results {
		if problem, ok := errors.AsType[*web.Problem](fullProblem(result.refusal)); ok {
			results[i].Type = problem.Type
		}
	}
	web.WriteJSON(w, http.StatusMultiStatus, batchOutcome{results})
	return nil
}

// readItems reads a body that is one item, or an object with the list items.
// many is nil for one item.
func readItems(r *http.Request) (one json.RawMessage, many []json.RawMessage, err error) {
	if !web.IsJSON(r) {
		return nil, nil, web.NewProblem(http.StatusUnsupportedMediaType, "unsupported-media-type", "The body must be application/json.")
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, broken(err)
	}
	var body map[string]json.RawMessage
	if !utf8.Valid(data) || json.Unmarshal(data, &body) != nil {
		return nil, nil, web.NewProblem(http.StatusBadRequest, "bad-request", "The body is not a JSON object in UTF-8.")
	}
	list, isBatch := body["items"]
	if !isBatch {
		return data, nil, nil
	}
	if err := json.Unmarshal(list, &many); err != nil || len(many) < 1 || len(many) > maxBatch || len(body) > 1 {
		return nil, nil, web.Invalid(web.FieldError{Field: "body.items", Message: fmt.Sprintf("must be a list of 1 to %d items, and all of the body", maxBatch)})
	}
	return nil, many, nil
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
