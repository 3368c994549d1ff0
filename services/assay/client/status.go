package client

import (
	"context"
	"net/http"
	"time"
)

// Status is the state of the areas and the backends. The calls of this file are available only at the operator address of
// query.
type Status struct {
	At           time.Time         `json:"at"`
	Since        time.Time         `json:"since"` // when query began to sample backlogs
	Areas        []AreaStatus      `json:"areas"`
	Dependencies []Dependency      `json:"dependencies"`
	DeadLetters  map[string]uint64 `json:"deadLetters"` // by consumer
	Sweeps       []SweepStatus     `json:"sweeps"`
	Problems     []string          `json:"problems"` // parts that could not be read
}

// AreaStatus is the backlog of an area, and its last 60 minutes, the current one last.
type AreaStatus struct {
	Name    string         `json:"name"`
	Waiting uint64         `json:"waiting"`         // queued or in progress
	Oldest  time.Time      `json:"oldest,omitzero"` // zero if nothing waits
	Minutes []StatusMinute `json:"minutes"`
}

// StatusMinute contains the events of one minute.
type StatusMinute struct {
	Accepted  uint64 `json:"accepted"`
	Completed uint64 `json:"completed"`
	Failed    uint64 `json:"failed"`
	Waiting   uint64 `json:"waiting"` // maximum
}

// Dependency is a backend, or another check of query.
type Dependency struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
	Millis int64  `json:"millis"`
}

// SweepStatus is the last sweep of an area.
type SweepStatus struct {
	Area     string      `json:"area"`
	At       time.Time   `json:"at"`
	Found    int         `json:"found"`
	Repaired int         `json:"repaired"`
	Failed   int         `json:"failed"`
	Error    string      `json:"error,omitempty"` // why the sweep is incomplete
	Stops    []SweepStop `json:"stops"`
}

// SweepStop is a kind of orphans that sweeps do not delete until an operator allows it.
type SweepStop struct {
	At      time.Time `json:"at"`
	Found   string    `json:"found"`
	Orphans int       `json:"orphans"`
	Of      int       `json:"of"`
	Reason  string    `json:"reason"`
}

// Status reads the state of the areas and the backends.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	return s, c.do(ctx, call{method: http.MethodGet, path: join("status")}, &s)
}

// StatusItems contains the oldest unfinished items and the last errors.
type StatusItems struct {
	Areas    []AreaItems   `json:"areas"`
	Errors   []StatusError `json:"errors"` // newest first
	Problems []string      `json:"problems"`
}

// AreaItems contains the oldest unfinished items of an area.
type AreaItems struct {
	Name        string       `json:"name"`
	InFlight    int          `json:"inFlight"`
	Retrying    int          `json:"retrying"`
	DeadLetters uint64       `json:"deadLetters"`
	Oldest      []StatusItem `json:"oldest"`
}

// StatusItem is an unfinished item.
type StatusItem struct {
	ID       string    `json:"id"`
	Subject  string    `json:"subject"`
	QueuedAt time.Time `json:"queuedAt"`
	State    string    `json:"state"` // queued or delivered
	Attempt  int       `json:"attempt"`
}

// StatusError is the failure of an item, or a dead letter.
type StatusError struct {
	At       time.Time `json:"at"`
	Kind     string    `json:"kind"` // failed or dead
	Area     string    `json:"area,omitempty"`
	ID       string    `json:"id"`
	Consumer string    `json:"consumer,omitempty"`
	Sequence uint64    `json:"sequence,omitempty"` // of a dead letter, as Class
	Class    string    `json:"class,omitempty"`
	Text     string    `json:"text"`
}

// StatusItems reads the oldest unfinished items and the last errors.
func (c *Client) StatusItems(ctx context.Context) (StatusItems, error) {
	var s StatusItems
	return s, c.do(ctx, call{method: http.MethodGet, path: join("status", "items")}, &s)
}
