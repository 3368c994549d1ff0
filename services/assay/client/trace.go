package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Trace is the path of an item. The calls of this file are available only at the operator address of query.
type Trace struct {
	ID          string            `json:"id"`
	Area        string            `json:"area"`
	Found       bool              `json:"found"` // false if the item was deleted or has expired
	Name        string            `json:"name,omitempty"`
	Owner       string            `json:"owner,omitempty"`
	State       string            `json:"state,omitempty"`
	Error       string            `json:"error,omitempty"`
	RequestIDs  []string          `json:"requestIds"`
	TraceIDs    []string          `json:"traceIds"`
	Moments     []Moment          `json:"moments"`
	Parts       []TracePart       `json:"parts"`
	Messages    []TraceMessage    `json:"messages"`
	Attempts    []MessageAttempts `json:"attempts"`
	Outcomes    []TraceOutcome    `json:"outcomes"`
	DeadLetters []TraceDeadLetter `json:"deadLetters"`
	Deliveries  []TraceDelivery   `json:"deliveries"`
	Findings    []SweepFinding    `json:"findings"`
	Problems    []string          `json:"problems"`
}

// Moment is something that happened to an item, according to the tables.
type Moment struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// TracePart is a step of a workflow, a call to a provider, or a photo of a batch.
type TracePart struct {
	Name     string    `json:"name"`
	State    string    `json:"state"`
	At       time.Time `json:"at,omitzero"`
	Attempts int       `json:"attempts,omitempty"`
	Millis   int64     `json:"millis,omitempty"`
	Detail   string    `json:"detail,omitempty"`
}

// TraceMessage is a work message that is queued or delivered.
type TraceMessage struct {
	Stream   string    `json:"stream"`
	Sequence uint64    `json:"sequence"`
	Subject  string    `json:"subject"`
	EventID  string    `json:"eventId"`
	StoredAt time.Time `json:"storedAt"`
	Priority int       `json:"priority"` // 0 is the highest
	Consumer string    `json:"consumer,omitempty"`
	State    string    `json:"state"` // queued or delivered
}

// MessageAttempts are the logged attempts at one message.
type MessageAttempts struct {
	Consumer string    `json:"consumer"`
	Sequence uint64    `json:"sequence"`
	StoredAt time.Time `json:"storedAt"`
	Stored   bool      `json:"stored"` // whether the message is still queued or delivered
	Begun    int       `json:"begun"`
	Unended  int       `json:"unended,omitempty"` // only in records of earlier versions
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one attempt at a message.
type Attempt struct {
	Number      int       `json:"number"`
	Recorded    bool      `json:"recorded"`
	Began       time.Time `json:"began,omitzero"`
	Worker      string    `json:"worker,omitempty"`
	Ended       time.Time `json:"ended,omitzero"`
	EndedBefore time.Time `json:"endedBefore,omitzero"` // of a lost attempt
	Outcome     string    `json:"outcome"`              // such as done, retry, lost or open
	Reason      string    `json:"reason,omitempty"`
}

// TraceOutcome is an outcome event.
type TraceOutcome struct {
	EventID   string    `json:"eventId"`
	End       string    `json:"end"` // completed or failed
	At        time.Time `json:"at"`
	StoredAt  time.Time `json:"storedAt"`
	Sequence  uint64    `json:"sequence"`
	ErrorCode string    `json:"errorCode,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// TraceDeadLetter is a dead letter of an item.
type TraceDeadLetter struct {
	Sequence uint64    `json:"sequence"`
	Consumer string    `json:"consumer"`
	Subject  string    `json:"subject"`
	At       time.Time `json:"at"`
	StoredAt time.Time `json:"storedAt"`
	Attempts int       `json:"attempts"`
	Class    string    `json:"class"`
	Reason   string    `json:"reason"`
}

// TraceDelivery is a delivery of an outcome to a webhook endpoint.
type TraceDelivery struct {
	Endpoint     string         `json:"endpoint"`
	EndpointName string         `json:"endpointName,omitempty"`
	EventID      string         `json:"eventId"`
	Type         string         `json:"type"`
	Status       string         `json:"status"` // pending, delivered or dead
	Next         time.Time      `json:"nextAttempt,omitzero"`
	Requests     []TraceRequest `json:"requests"`
}

// TraceRequest is one request of a delivery.
type TraceRequest struct {
	At     time.Time `json:"at"`
	Millis int64     `json:"millis"`
	HTTP   int       `json:"httpStatus,omitempty"` // 0 if there was no response
	Error  string    `json:"error,omitempty"`
}

// SweepFinding is a problem that a sweep found.
type SweepFinding struct {
	At       time.Time `json:"at"`
	Found    string    `json:"found"` // a code, such as lost_message
	ID       string    `json:"id"`
	Repaired bool      `json:"repaired"`
	Error    string    `json:"error,omitempty"`
}

// Trace reads the path of an item. An empty area means all areas. It returns a *Problem with status 404 for an unknown id.
func (c *Client) Trace(ctx context.Context, id, area string) (Trace, error) {
	query := url.Values{}
	if area != "" {
		query.Set("area", area)
	}
	var t Trace
	err := c.do(ctx, call{method: http.MethodGet, path: join("trace", id), query: query}, &t)
	return t, err
}
