package feed

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/admission"
	"github.com/assay-project/assay/services/ingest/feed/check"
)

type batchOutcome struct {
	Results []itemOutcome `json:"results" doc:"in the order of the items"`
}

type batch struct {
	Items []feed.Submission `json:"items" minItems:"1" maxItems:"100"`
}

// Routes registers the calls that write.
func (a *Area) Routes(r *web.Router) {
	schema := func(t reflect.Type) *huma.Schema {
		return r.API.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
	}
	body := func(description string, t reflect.Type, headers map[string]*huma.Param) *huma.Response {
		return &huma.Response{Description: description, Headers: headers, Content: map[string]*huma.MediaType{"application/json": {Schema: schema(t)}}}
	}
	location := map[string]*huma.Param{"Location": {Description: "the item", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Format: "uri-reference"}}}
	retry := map[string]*huma.Param{"Retry-After": {Description: "seconds after which to send refused items again, if any", Schema: &huma.Schema{Type: huma.TypeInteger}}}
	r.Handle(huma.Operation{
		OperationID: "post-feed-items", Method: http.MethodPost, Path: "/v1/feed/items", Tags: []string{"feed"},
		Summary: "Add up to 100 items to the feed",
		Description: "sourceId is unique, so sending an item again is safe: this adds new tags, up to 5 in total, and " +
			"changes nothing else. Exactly one of several concurrent posts creates the item. If the text of a pending item " +
			"was lost, sending the item again restores its text, URL and metadata, but keeps its time. A batch gets 207 with " +
			"an outcome for each item. The items of each caller (its owner or, without one, its address) have their own share of the queue " +
			"and count toward its quotas. If none can be admitted, the batch is rejected like a single item. The items of a " +
			"batch are accepted while the body is read. If a backend fails, or the rest of the body cannot be read, the " +
			"call fails although some items were accepted; send the whole batch again.",
		MaxBodyBytes: maxFeedBody,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
			Schema: named(r, "ItemOrItems", &huma.Schema{OneOf: []*huma.Schema{schema(reflect.TypeFor[feed.Submission]()), schema(reflect.TypeFor[batch]())}}),
		}}},
		Responses: map[string]*huma.Response{
			"200": body("The item, which already existed", reflect.TypeFor[postedItem](), location),
			"201": body("The item, which was created", reflect.TypeFor[postedItem](), location),
			"207": body("The outcomes of a batch", reflect.TypeFor[batchOutcome](), retry),
		},
	}, func(w http.ResponseWriter, req *http.Request) { a.post(w, req, r.Bodies) }, admission.Refusals, quota.Refusals)
}

// named adds a schema to the components of the API and returns a reference to it, because code
// generators have no type for an inline oneOf.
func named(r *web.Router, name string, schema *huma.Schema) *huma.Schema {
	r.API.OpenAPI().Components.Schemas.Map()[name] = schema
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

func (a *Area) post(w http.ResponseWriter, r *http.Request, bodies *web.Bodies) {
	err := a.bus.Admit(r.Context(), feed.WorkStream, "") // checked before the body is read
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
	submission.Sender = web.CallerOf(r.Context()).Tenant()
	item, created, err := a.acceptBounded(r.Context(), submission, len(raw))
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/feed/items/"+url.PathEscape(item.SourceID))
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	web.WriteJSON(w, status, postedItem{item.View(), remarks(item, submission, time.Now())})
	return nil
}

func (a *Area) postMany(w http.ResponseWriter, r *http.Request, body *itemBody) error {
	results, err := a.acceptAll(r.Context(), web.CallerOf(r.Context()).Tenant(), body.each())
	if err != nil {
		return err
	}
	refused, all := refusal(results)
	if all {
		return refused
	}
	if refused != nil && !isExceeded(refused) {
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

// fields returns the set of field names of an item.
var fields = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[feed.Submission]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
})

// otherCase returns errors for keys that differ from field names only in case, which package json
// accepts because it ignores case.
func otherCase(raw json.RawMessage) (wrong []web.FieldError) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil // cannot happen: the content was decoded before
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !fields()[name] {
			wrong = append(wrong, web.FieldError{Field: "body." + name, Message: "is not a field of an item"})
		}
	}
	return wrong
}

// parseItem parses and checks an item. If that fails, it returns the fields that it could parse, and the errors.
func parseItem(raw json.RawMessage) (feed.Submission, []web.FieldError) {
	var submission feed.Submission
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&submission)
	if mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return submission, []web.FieldError{{Field: strings.TrimSuffix("body."+mistyped.Field, "."), Message: "has the wrong type: " + mistyped.Value}}
	}
	if err != nil {
		// encoding/json has no type for this error.
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return submission, []web.FieldError{{Field: "body." + strings.Trim(name, `"`), Message: "is not a field of an item"}}
		}
		return submission, []web.FieldError{{Field: "body", Message: "is not a JSON object"}}
	}
	if wrong := otherCase(raw); len(wrong) > 0 {
		return submission, wrong
	}
	if wrong, found := web.LoneSurrogate("body", raw); found {
		return submission, []web.FieldError{wrong}
	}
	for i, tag := range submission.MatchedTags {
		submission.MatchedTags[i] = feed.Tag(tag)
	}
	return submission, check.Submission(submission, time.Now())
}
