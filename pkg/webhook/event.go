package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Operators is the owner of the endpoints that operators register. It is not a valid id of an owner.
const Operators = "*"

// Area is the area of events about endpoints themselves, such as webhook.disabled.
const Area = "webhook"

// Event is what an endpoint is called for.
type Event struct {
	ID    string    // deterministic; an endpoint is called once for each id
	Type  string    // such as library.completed
	Area  string    // such as library
	Item  string    // id of the item; empty if the event is about none
	Owner string    // of the item; empty if it has none: then only operators' endpoints are called
	At    time.Time // when it happened, to the millisecond
	Tags  []string  // of the item; filters select by them
	Data  any       // data of the payload
	About string    // id of an endpoint that is not called, because the event is about it
	// Result returns what is added to the data for endpoints that include results, or nil. Optional.
	Result func(context.Context) (json.RawMessage, error)
	// Below reports whether the item is in a folder or below it. It is nil for items that have no folder.
	Below func(ctx context.Context, folder string) (bool, error)
}

// payload is the body of a request, as Standard Webhooks recommends it.
type payload struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

// withResult is the data of a payload with the result.
type withResult struct {
	Data   any
	Result json.RawMessage
}

// MarshalJSON adds the result to the members of the data.
func (w withResult) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(w.Data)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, err
	}
	members["result"] = w.Result
	return json.Marshal(members)
}

// Body returns the body of the requests for the event. The result is left out if the body would exceed MaxBody.
func (e Event) Body(ctx context.Context, include bool) (string, error) {
	body, err := e.encode(e.Data)
	if err != nil || !include || e.Result == nil {
		return body, err
	}
	result, err := e.Result(ctx)
	if err != nil {
		return "", fmt.Errorf("result of %s: %w", e.ID, err)
	}
	if len(result) == 0 || len(result) > MaxBody {
		return body, nil
	}
	with, err := e.encode(withResult{e.Data, result})
	if len(with) > MaxBody {
		return body, err
	}
	return with, err
}

func (e Event) encode(data any) (string, error) {
	body, err := json.Marshal(payload{e.Type, e.At.UTC(), data})
	if err != nil {
		return "", fmt.Errorf("payload of %s: %w", e.ID, err)
	}
	return string(body), nil
}

// MessageID returns the value of HeaderID for an event, which contains no periods and slashes.
func MessageID(eventID string) string {
	return strings.NewReplacer("/", "_", ".", "_").Replace(eventID)
}
