package deadletter

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the calls for dead letters, which only operators may use.
func (d *Service) Routes(r *web.Router) {
	missing := web.Refusals{http.StatusNotFound: {"not-found"}}
	web.Register(r, huma.Operation{
		OperationID: "list-dead", Method: http.MethodGet, Path: "/v1/dead", Tags: []string{"dead letters"},
		Summary: "List dead letters, oldest first",
	}, d.list)
	web.Register(r, huma.Operation{
		OperationID: "get-dead", Method: http.MethodGet, Path: "/v1/dead/{sequence}", Tags: []string{"dead letters"},
		Summary: "Show a dead letter with its payload",
	}, d.get)
	web.Register(r, huma.Operation{
		OperationID: "replay-dead", Method: http.MethodPost, Path: "/v1/dead/replay", Tags: []string{"dead letters"},
		Summary: "Reprocess the items of dead letters",
		Description: "A failed item is processed again, as by an explicit retry, and its dead letter is deleted. An item that has since " +
			"recovered, or failed again, is skipped with a note that says so, and its dead letter remains until it is deleted. Replaying " +
			"twice is safe. If an item fails again because of a fault, its new dead letter names the replayed one.",
	}, d.postReplay, missing)
	web.Register(r, huma.Operation{
		OperationID: "drop-dead", Method: http.MethodPost, Path: "/v1/dead/drop", Tags: []string{"dead letters"},
		Summary: "Delete the dead letters that match a filter",
	}, d.postDrop, missing)
	web.Register(r, huma.Operation{
		OperationID: "delete-dead", Method: http.MethodDelete, Path: "/v1/dead/{sequence}", Tags: []string{"dead letters"},
		Summary: "Delete a dead letter", DefaultStatus: http.StatusNoContent,
	}, d.delete)
}

// DeadLetterView is a dead letter as the API shows it.
type DeadLetterView struct {
	Sequence uint64          `json:"sequence" doc:"identifies the dead letter"`
	Consumer string          `json:"consumer" doc:"the consumer that could not process the message"`
	Subject  string          `json:"subject" doc:"the subject of the message"`
	Area     string          `json:"area" example:"textfile" doc:"the area of the item; none if the message belongs to no area"`
	Class    event.DeadClass `json:"class" enum:"crashed,timeout,unavailable,rejected,configuration,missing,event,other" doc:"the kind of fault: the handler crashed or its workers died, exceeded its time, a backend or provider was unavailable, a table rejected the result, something is not configured, stored bytes are missing, the message is not a readable event, or another"`
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts" doc:"0 if a sweep restored the dead letter"`
	First    time.Time       `json:"first" doc:"when the stream stored the message"`
	Last     time.Time       `json:"last" doc:"when the consumer gave up"`
	EventID  string          `json:"eventId,omitempty"`
	Type     string          `json:"type,omitempty" doc:"the event's type"`
	Item     string          `json:"item,omitempty" doc:"the item's id"`
	Name     string          `json:"name,omitempty" example:"report.pdf" doc:"the file name of the item, if it has one"`
	Path     string          `json:"path,omitempty" example:"/v1/files/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"the path of the call for clients that reads the item"`
	Owner    string          `json:"owner,omitempty" example:"9f86d081884c" doc:"a digest of the owner's id, as in logs"`
	ReplayOf uint64          `json:"replayOf,omitempty" doc:"the sequence of an earlier dead letter whose replay failed with this one"`
	Payload  json.RawMessage `json:"payload,omitempty" doc:"the message, with a digest in place of the owner's id; in base64 if it is not JSON. Omitted in lists"`
}

// noArea is the area of dead letters whose message belongs to no area.
const noArea = "none"

func (d *Service) view(l bus.DeadLetter) DeadLetterView {
	shown := DeadLetterView{
		Area: noArea, Class: l.Class, ReplayOf: l.ReplayOf,
		Sequence: l.Sequence, Consumer: l.Consumer, Subject: l.Subject, Reason: l.Reason, Attempts: l.Attempts,
		First: l.First, Last: l.Last, EventID: l.ID, Type: l.Type, Item: l.Item, Owner: web.OwnerDigest(l.Owner),
	}
	for _, area := range d.areas {
		if area.Work.Stores(l.Subject) {
			shown.Area = area.Name
			shown.Name, shown.Path = area.Describe(l)
		}
	}
	return shown
}

// payload returns the message of a dead letter with a digest in place of the owner's id, which acts as a credential.
func payload(l bus.DeadLetter) json.RawMessage {
	if !json.Valid(l.Data) {
		return json.RawMessage(`"` + base64.StdEncoding.EncodeToString(l.Data) + `"`)
	}
	if l.Owner == "" {
		return l.Data
	}
	digest := web.OwnerDigest(l.Owner)
	text := strings.ReplaceAll(string(l.Data), `"`+l.Owner+`"`, `"`+digest+`"`)
	return json.RawMessage(strings.ReplaceAll(text, "/"+l.Owner+"/", "/"+digest+"/"))
}

type deadLetterListInput struct {
	Consumer string    `query:"consumer"`
	Class    string    `query:"class" enum:"crashed,timeout,unavailable,rejected,configuration,missing,event,other" doc:"the kind of fault"`
	Reason   string    `query:"reason" doc:"substring of the reason; case is ignored"`
	From     time.Time `query:"from" doc:"dead letters from this time or later"`
	To       time.Time `query:"to" doc:"dead letters from before this time"`
	After    uint64    `query:"after" doc:"the last sequence of the previous page"`
	Limit    int       `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}

type deadLetterListOutput struct {
	Body struct {
		DeadLetters []DeadLetterView  `json:"deadLetters"`
		More        bool              `json:"more" doc:"whether there are more dead letters after this page"`
		Consumers   map[string]uint64 `json:"consumers" example:"{\"analyzer-textfile\":2}" doc:"number of dead letters by consumer, regardless of the filter"`
	}
}

func (d *Service) list(ctx context.Context, in *deadLetterListInput) (*deadLetterListOutput, error) {
	filter := bus.DeadFilter{After: in.After, Consumer: in.Consumer, Class: event.DeadClass(in.Class), Reason: in.Reason, From: in.From, To: in.To}
	out := &deadLetterListOutput{}
	out.Body.DeadLetters = []DeadLetterView{}
	counts, err := d.bus.DeadCounts(ctx)
	if err != nil {
		return nil, err
	}
	out.Body.Consumers = counts
	for deadLetter, err := range d.bus.DeadLetters(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if len(out.Body.DeadLetters) == in.Limit {
			out.Body.More = true
			break
		}
		out.Body.DeadLetters = append(out.Body.DeadLetters, d.view(deadLetter))
	}
	return out, nil
}

type deadLetterInput struct {
	Sequence uint64 `path:"sequence" minimum:"1"`
}

type deadLetterOutput struct{ Body DeadLetterView }

func (d *Service) get(ctx context.Context, in *deadLetterInput) (*deadLetterOutput, error) {
	deadLetter, err := d.bus.DeadLetter(ctx, in.Sequence)
	if err != nil {
		return nil, problem(err)
	}
	shown := d.view(deadLetter)
	shown.Payload = payload(deadLetter)
	return &deadLetterOutput{shown}, nil
}

func (d *Service) delete(ctx context.Context, in *deadLetterInput) (*struct{}, error) {
	return nil, problem(d.bus.DropDead(ctx, in.Sequence))
}

func problem(err error) error {
	if errors.Is(err, bus.ErrNoDeadLetter) {
		return web.NotFound("There is no dead letter with this sequence.")
	}
	return err
}

type deadLetterBulkInput struct {
	Body struct {
		Sequence uint64    `json:"sequence,omitempty" minimum:"1" doc:"only this dead letter. Without it, the other fields are a filter; an empty filter selects all"`
		Consumer string    `json:"consumer,omitempty"`
		Class    string    `json:"class,omitempty" enum:"crashed,timeout,unavailable,rejected,configuration,missing,event,other" doc:"the kind of fault"`
		Reason   string    `json:"reason,omitempty" doc:"substring of the reason; case is ignored"`
		From     time.Time `json:"from,omitzero" required:"false" doc:"dead letters from this time or later"`
		To       time.Time `json:"to,omitzero" required:"false" doc:"dead letters from before this time"`
		DryRun   bool      `json:"dryRun,omitempty" doc:"only list the dead letters"`
		Rate     int       `json:"rate,omitempty" default:"100" minimum:"1" maximum:"10000" doc:"maximum dead letters per second"`
		Max      int       `json:"max,omitempty" default:"1000" minimum:"1" maximum:"10000" doc:"maximum number of dead letters"`
	}
}

type deadLetterBulkOutput struct {
	Body struct {
		Results []deadLetterResult `json:"results"`
		Done    int                `json:"done" doc:"number of dead letters that were replayed or deleted"`
		Failed  int                `json:"failed"`
		More    bool               `json:"more" doc:"whether there are more than max"`
	}
}

type deadLetterResult struct {
	DeadLetterView
	Done  bool   `json:"done"`
	Note  string `json:"note,omitempty" doc:"why the dead letter was skipped"`
	Error string `json:"error,omitempty"`
}

func (d *Service) postReplay(ctx context.Context, in *deadLetterBulkInput) (*deadLetterBulkOutput, error) {
	return d.bulk(ctx, in, d.replay)
}

func (d *Service) postDrop(ctx context.Context, in *deadLetterBulkInput) (*deadLetterBulkOutput, error) {
	return d.bulk(ctx, in, d.drop)
}

// bulk calls do for one dead letter, or for those that match a filter. The output contains the
// result of each, even if some failed.
func (d *Service) bulk(ctx context.Context, in *deadLetterBulkInput, do func(context.Context, bus.DeadLetter) (string, error)) (*deadLetterBulkOutput, error) {
	body := in.Body
	request := bulkRequest{
		filter: bus.DeadFilter{Consumer: body.Consumer, Class: event.DeadClass(body.Class), Reason: body.Reason, From: body.From, To: body.To},
		dryRun: body.DryRun, rate: body.Rate, max: body.Max,
	}
	if body.Sequence != 0 {
		if request.filter != (bus.DeadFilter{}) {
			return nil, web.Invalid(web.FieldError{Field: "body.sequence", Message: "selects one dead letter; send it without a filter"})
		}
		if _, err := d.bus.DeadLetter(ctx, body.Sequence); err != nil {
			return nil, problem(err)
		}
		request.filter, request.max = bus.DeadFilter{After: body.Sequence - 1}, 1
	}
	all, more, err := d.each(ctx, request, do)
	if err != nil {
		return nil, err
	}
	out := &deadLetterBulkOutput{}
	out.Body.Results = []deadLetterResult{}
	out.Body.More = more && body.Sequence == 0
	for _, one := range all {
		result := deadLetterResult{DeadLetterView: d.view(one.deadLetter), Note: one.note, Done: !body.DryRun && one.note == "" && one.err == nil}
		if one.err != nil {
			result.Error = one.err.Error()
			out.Body.Failed++
		}
		if result.Done {
			out.Body.Done++
		}
		out.Body.Results = append(out.Body.Results, result)
	}
	return out, nil
}
