package trace

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the call, which is for operators only.
func (s *Service) Routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-trace", Method: http.MethodGet, Path: "/v1/trace/{id}", Tags: []string{"status"},
		Summary: "Show the path of an item",
		Description: "Contains what the tables, the work stream, the log of attempts, the outcomes, the dead letters, the webhooks and the sweeps " +
			"state about an item. The owner is shown as a digest. A first attempt that succeeds within half a second is not logged.",
	}, s.get)
}

type traceInput struct {
	ID   string `path:"id" pattern:"^[^\\s.*>]+$" maxLength:"256" doc:"id of a text file, a feed item, a photo job or batch, or a node of the library"`
	Area string `query:"area" maxLength:"64" doc:"the only area to search; by default all"`
}

type traceOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         traceView
}

// traceView is the path of an item.
type traceView struct {
	ID          string          `json:"id"`
	Area        string          `json:"area" example:"textfile"`
	Found       bool            `json:"found" doc:"false if the tables do not contain the item: it was deleted or has expired"`
	Name        string          `json:"name,omitempty"`
	Owner       string          `json:"owner,omitempty" example:"9f86d081884c" doc:"a digest of the owner's id, as in logs"`
	State       string          `json:"state,omitempty" example:"COMPLETED"`
	Error       string          `json:"error,omitempty"`
	RequestIDs  []string        `json:"requestIds" nullable:"false" doc:"X-Request-Id of the requests that caused the work"`
	TraceIDs    []string        `json:"traceIds" nullable:"false" doc:"ids of their W3C traces"`
	Moments     []Moment        `json:"moments" nullable:"false" doc:"what the tables state, oldest first"`
	Parts       []Part          `json:"parts" nullable:"false" doc:"steps of the workflow, calls to providers, or photos of a batch"`
	Messages    []traceMessage  `json:"messages" nullable:"false" doc:"work messages that are queued or delivered, at most 50, oldest first"`
	Attempts    []traceAttempts `json:"attempts" nullable:"false" doc:"logged attempts, by message, for 7 days"`
	Outcomes    []traceOutcome  `json:"outcomes" nullable:"false" doc:"outcome events, oldest first"`
	DeadLetters []traceLetter   `json:"deadLetters" nullable:"false"`
	Deliveries  []traceDelivery `json:"deliveries" nullable:"false" doc:"deliveries of the outcomes to webhook endpoints"`
	Findings    []sweep.Finding `json:"findings" nullable:"false" doc:"findings of the last sweeps, oldest first"`
	Problems    []string        `json:"problems" nullable:"false" doc:"parts that could not be read, or not completely"`
}

type traceMessage struct {
	Stream   string    `json:"stream" example:"ASSAY_WORK_TEXTFILE"`
	Sequence uint64    `json:"sequence"`
	Subject  string    `json:"subject"`
	EventID  string    `json:"eventId"`
	StoredAt time.Time `json:"storedAt"`
	Priority int       `json:"priority" doc:"0 is the highest"`
	Consumer string    `json:"consumer,omitempty" doc:"absent if no consumer selects the message"`
	State    string    `json:"state" enum:"queued,delivered" doc:"delivered: a worker has it, or it waits for another attempt"`
}

type traceAttempts struct {
	Consumer string         `json:"consumer" example:"analyzer-textfile"`
	Sequence uint64         `json:"sequence" doc:"of the message in its stream"`
	StoredAt time.Time      `json:"storedAt" doc:"when the message was queued"`
	Stored   bool           `json:"stored" doc:"whether the message is still queued or delivered"`
	Begun    int            `json:"begun" doc:"number of attempts"`
	Unended  int            `json:"unended,omitempty" doc:"attempts that ended without a result, in a record of an earlier version, which contains no attempts"`
	Attempts []traceAttempt `json:"attempts" nullable:"false" doc:"the newest 16, oldest first"`
}

type traceAttempt struct {
	Number      int       `json:"number" doc:"a delivery that was returned or delayed has the number of the next attempt"`
	Recorded    bool      `json:"recorded" doc:"false for a first attempt that ended without a result"`
	Began       time.Time `json:"began,omitzero"`
	Worker      string    `json:"worker,omitempty" example:"analyzer host-1/4711" doc:"service, host and process id"`
	Ended       time.Time `json:"ended,omitzero"`
	EndedBefore time.Time `json:"endedBefore,omitzero" doc:"of a lost attempt: when the next one began"`
	Outcome     string    `json:"outcome" example:"lost" doc:"as in assay_attempt_duration_seconds; lost: the worker crashed or lost its connection; open: the attempt has not ended; unknown: its end is not recorded"`
	Reason      string    `json:"reason,omitempty" doc:"the error, shortened"`
}

type traceOutcome struct {
	EventID   string    `json:"eventId"`
	End       string    `json:"end" enum:"completed,failed"`
	At        time.Time `json:"at" doc:"when the item became final"`
	StoredAt  time.Time `json:"storedAt"`
	Sequence  uint64    `json:"sequence"`
	ErrorCode string    `json:"errorCode,omitempty"`
	Error     string    `json:"error,omitempty"`
}

type traceLetter struct {
	Sequence uint64    `json:"sequence"`
	Consumer string    `json:"consumer"`
	Subject  string    `json:"subject"`
	At       time.Time `json:"at" doc:"when the consumer gave up"`
	StoredAt time.Time `json:"storedAt" doc:"when the message was queued"`
	Attempts int       `json:"attempts" doc:"0 if a sweep restored the dead letter"`
	Class    string    `json:"class" example:"unavailable"`
	Reason   string    `json:"reason"`
}

type traceDelivery struct {
	Endpoint     string         `json:"endpoint" doc:"id"`
	EndpointName string         `json:"endpointName,omitempty"`
	EventID      string         `json:"eventId"`
	Type         string         `json:"type" example:"textfile.completed"`
	Status       string         `json:"status" enum:"pending,delivered,dead"`
	Next         time.Time      `json:"nextAttempt,omitzero"`
	Requests     []traceRequest `json:"requests" nullable:"false" doc:"the newest 12"`
}

type traceRequest struct {
	At     time.Time `json:"at"`
	Millis int64     `json:"millis"`
	HTTP   int       `json:"httpStatus,omitempty" doc:"absent if there was no response"`
	Error  string    `json:"error,omitempty" doc:"why there was no response"`
}

func newView(area, id string, item *Item) traceView {
	v := traceView{
		ID: id, Area: area, RequestIDs: []string{}, TraceIDs: []string{}, Moments: []Moment{}, Parts: []Part{}, Messages: []traceMessage{},
		Attempts: []traceAttempts{}, Outcomes: []traceOutcome{}, DeadLetters: []traceLetter{}, Deliveries: []traceDelivery{},
		Findings: []sweep.Finding{}, Problems: []string{},
	}
	if item != nil {
		v.Found, v.Name, v.Owner, v.State, v.Error = true, item.Name, web.OwnerDigest(item.Owner), item.State, item.Error
		v.Moments, v.Parts = append(v.Moments, item.Moments...), append(v.Parts, item.Parts...)
	}
	return v
}

func (s *Service) get(ctx context.Context, in *traceInput) (*traceOutput, error) {
	areas := s.areas
	if in.Area != "" {
		var names []string
		areas = nil
		for _, a := range s.areas {
			if names = append(names, a.name); a.name == in.Area {
				areas = append(areas, a)
			}
		}
		if len(areas) == 0 {
			return nil, web.Invalid(web.FieldError{Field: "query.area", Message: "must be one of " + strings.Join(names, ", ")})
		}
	}
	id := in.ID
	if canonical, err := uuid.Parse(id); err == nil { // items are stored under this spelling
		id = canonical.String()
	}
	found, err := s.find(ctx, areas, id)
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, web.NotFound("There is no item with this id, and no event or dead letter of one.")
	}
	return &traceOutput{CacheControl: "no-store", Body: found}, err
}
