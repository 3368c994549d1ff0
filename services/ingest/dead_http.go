package ingest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/web"
)

// routes registers the calls on dead letters.
func (d *deadLetters) routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-dead", Method: http.MethodGet, Path: "/v1/dead", Tags: []string{"dead letters"},
		Summary: "List messages that were given up, oldest first",
	}, d.list)
	web.Register(r, huma.Operation{
		OperationID: "get-dead", Method: http.MethodGet, Path: "/v1/dead/{sequence}", Tags: []string{"dead letters"},
		Summary: "Show a dead letter with its payload",
	}, d.get)
	web.Register(r, huma.Operation{
		OperationID: "replay-dead", Method: http.MethodPost, Path: "/v1/dead/replay", Tags: []string{"dead letters"},
		Summary: "Bring the items of dead letters on their way again",
		Description: "A FAILED file is analyzed again, as by an explicit retry; what is no longer in the failure that its letter " +
			"tells of is left as it is, so that replaying twice changes nothing. The letters stay.",
	}, d.postReplay)
	web.Register(r, huma.Operation{
		OperationID: "drop-dead", Method: http.MethodPost, Path: "/v1/dead/drop", Tags: []string{"dead letters"},
		Summary: "Remove the dead letters of a filter for good",
	}, d.postDrop)
	web.Register(r, huma.Operation{
		OperationID: "delete-dead", Method: http.MethodDelete, Path: "/v1/dead/{sequence}", Tags: []string{"dead letters"},
		Summary: "Remove a dead letter for good", DefaultStatus: http.StatusNoContent,
	}, d.delete)
}

// letterView is a dead letter as the API shows it.
type letterView struct {
	Sequence uint64          `json:"sequence" doc:"names the letter"`
	Consumer string          `json:"consumer" doc:"who gave the message up"`
	Subject  string          `json:"subject" doc:"where the message came from"`
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts" doc:"0 in a letter that was lost and that a sweep wrote anew"`
	First    time.Time       `json:"first" doc:"when its stream took the message in"`
	Last     time.Time       `json:"last" doc:"when it was given up"`
	EventID  string          `json:"eventId,omitempty"`
	Type     string          `json:"type,omitempty" doc:"of the event"`
	Item     string          `json:"item,omitempty" doc:"the item's id"`
	Payload  json.RawMessage `json:"payload,omitempty" doc:"the message; in base64 where it is not JSON. Lists leave it out"`
}

func view(l bus.DeadLetter) letterView {
	return letterView{
		Sequence: l.Sequence, Consumer: l.Consumer, Subject: l.Subject, Reason: l.Reason, Attempts: l.Attempts,
		First: l.First, Last: l.Last, EventID: l.ID, Type: l.Type, Item: l.Item,
	}
}

type deadListInput struct {
	Consumer string    `query:"consumer"`
	Reason   string    `query:"reason" doc:"a part of it, in upper or lower case"`
	From     time.Time `query:"from" doc:"given up then or later"`
	To       time.Time `query:"to" doc:"given up before"`
	After    uint64    `query:"after" doc:"the last sequence of the page before"`
	Limit    int       `query:"limit" default:"100" minimum:"1" maximum:"1000"`
}

type deadListOutput struct {
	Body struct {
		DeadLetters []letterView `json:"deadLetters"`
		More        bool         `json:"more" doc:"there are others after the last of these"`
	}
}

func (d *deadLetters) list(ctx context.Context, in *deadListInput) (*deadListOutput, error) {
	filter := bus.DeadFilter{After: in.After, Consumer: in.Consumer, Reason: in.Reason, From: in.From, To: in.To}
	out := &deadListOutput{}
	out.Body.DeadLetters = []letterView{}
	for letter, err := range d.bus.DeadLetters(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if len(out.Body.DeadLetters) == in.Limit {
			out.Body.More = true
			break
		}
		out.Body.DeadLetters = append(out.Body.DeadLetters, view(letter))
	}
	return out, nil
}

type deadInput struct {
	Sequence uint64 `path:"sequence" minimum:"1"`
}

type deadOutput struct{ Body letterView }

func (d *deadLetters) get(ctx context.Context, in *deadInput) (*deadOutput, error) {
	letter, err := d.bus.DeadLetter(ctx, in.Sequence)
	if err != nil {
		return nil, deadProblem(err)
	}
	shown := view(letter)
	if shown.Payload = letter.Data; !json.Valid(letter.Data) {
		shown.Payload = json.RawMessage(`"` + base64.StdEncoding.EncodeToString(letter.Data) + `"`)
	}
	return &deadOutput{shown}, nil
}

func (d *deadLetters) delete(ctx context.Context, in *deadInput) (*struct{}, error) {
	return nil, deadProblem(d.bus.DropDead(ctx, in.Sequence))
}

func deadProblem(err error) error {
	if errors.Is(err, bus.ErrNoDeadLetter) {
		return web.NotFound("There is no dead letter of this sequence.")
	}
	return err
}

type siftInput struct {
	Body struct {
		Sequence uint64    `json:"sequence,omitempty" minimum:"1" doc:"this letter alone; or a filter, which selects all letters where it is empty:"`
		Consumer string    `json:"consumer,omitempty"`
		Reason   string    `json:"reason,omitempty" doc:"a part of it, in upper or lower case"`
		From     time.Time `json:"from,omitzero" required:"false" doc:"given up then or later"`
		To       time.Time `json:"to,omitzero" required:"false" doc:"given up before"`
		DryRun   bool      `json:"dryRun,omitempty" doc:"list the letters and do nothing"`
		Rate     int       `json:"rate,omitempty" default:"100" minimum:"1" maximum:"10000" doc:"letters a second at most"`
		Max      int       `json:"max,omitempty" default:"1000" minimum:"1" maximum:"10000" doc:"letters at most"`
	}
}

type siftOutput struct {
	Body struct {
		Results []siftResult `json:"results"`
		Done    int          `json:"done" doc:"letters that something was done about"`
		Failed  int          `json:"failed"`
		More    bool         `json:"more" doc:"there are others behind the max"`
	}
}

type siftResult struct {
	letterView
	Done  bool   `json:"done"`
	Note  string `json:"note,omitempty" doc:"why nothing was to be done"`
	Error string `json:"error,omitempty"`
}

func (d *deadLetters) postReplay(ctx context.Context, in *siftInput) (*siftOutput, error) {
	return d.sift(ctx, in, d.replay)
}

func (d *deadLetters) postDrop(ctx context.Context, in *siftInput) (*siftOutput, error) {
	return d.sift(ctx, in, func(ctx context.Context, l bus.DeadLetter) (string, error) {
		err := d.bus.DropDead(ctx, l.Sequence)
		if errors.Is(err, bus.ErrNoDeadLetter) {
			return "it is gone already", nil
		}
		return "", err
	})
}

// sift does something to one letter, or to those of a filter. What became of each
// is the answer, also when some failed.
func (d *deadLetters) sift(ctx context.Context, in *siftInput, do func(context.Context, bus.DeadLetter) (string, error)) (*siftOutput, error) {
	ask := in.Body
	what := sifting{
		filter: bus.DeadFilter{Consumer: ask.Consumer, Reason: ask.Reason, From: ask.From, To: ask.To},
		dryRun: ask.DryRun, rate: ask.Rate, most: ask.Max,
	}
	if ask.Sequence != 0 {
		if what.filter != (bus.DeadFilter{}) {
			return nil, web.Invalid(web.FieldError{Field: "body.sequence", Message: "names one letter; give it without a filter"})
		}
		if _, err := d.bus.DeadLetter(ctx, ask.Sequence); err != nil {
			return nil, deadProblem(err)
		}
		what.filter, what.most = bus.DeadFilter{After: ask.Sequence - 1}, 1
	}
	all, more, err := d.each(ctx, what, do)
	if err != nil {
		return nil, err
	}
	out := &siftOutput{}
	out.Body.Results = []siftResult{}
	out.Body.More = more && ask.Sequence == 0
	for _, one := range all {
		result := siftResult{letterView: view(one.letter), Note: one.note, Done: !ask.DryRun && one.note == "" && one.err == nil}
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
