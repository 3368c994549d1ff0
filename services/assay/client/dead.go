package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// DeadLetter is a message that no consumer could process. Calls for dead letters are available only
// at a server's operator address.
type DeadLetter struct {
	Sequence uint64          `json:"sequence"`
	Consumer string          `json:"consumer"`
	Subject  string          `json:"subject"`
	Area     string          `json:"area"`  // "none" if the message belongs to no area
	Class    string          `json:"class"` // the kind of fault, such as "unavailable"
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts"`
	First    time.Time       `json:"first"`
	Last     time.Time       `json:"last"`
	EventID  string          `json:"eventId,omitempty"`
	Type     string          `json:"type,omitempty"`
	Item     string          `json:"item,omitempty"`
	Name     string          `json:"name,omitempty"`     // the item's file name
	Path     string          `json:"path,omitempty"`     // of the call that reads the item
	Owner    string          `json:"owner,omitempty"`    // digest of the owner's id, as in logs
	ReplayOf uint64          `json:"replayOf,omitempty"` // sequence of an earlier dead letter whose replay failed
	Payload  json.RawMessage `json:"payload,omitempty"`  // not in lists
}

// DeadFilter selects dead letters. Its zero value selects all.
type DeadFilter struct {
	Consumer string    `json:"consumer,omitempty"`
	Class    string    `json:"class,omitempty"`  // kind of fault
	Reason   string    `json:"reason,omitempty"` // substring of the reason
	From     time.Time `json:"from,omitzero"`    // stored at or after this time
	To       time.Time `json:"to,omitzero"`      // stored before this time
}

// DeadLetters returns up to limit dead letters after a sequence number, oldest first, and reports
// whether there are more.
func (c *Client) DeadLetters(ctx context.Context, f DeadFilter, after uint64, limit int) ([]DeadLetter, bool, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}, "after": {strconv.FormatUint(after, 10)}}
	for name, value := range map[string]string{"consumer": f.Consumer, "class": f.Class, "reason": f.Reason} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for name, value := range map[string]time.Time{"from": f.From, "to": f.To} {
		if !value.IsZero() {
			query.Set(name, value.UTC().Format(time.RFC3339Nano))
		}
	}
	var page struct {
		DeadLetters []DeadLetter `json:"deadLetters"`
		More        bool         `json:"more"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("dead"), query: query}, &page)
	return page.DeadLetters, page.More, err
}

// DeadLetter returns one dead letter with its payload.
func (c *Client) DeadLetter(ctx context.Context, sequence uint64) (DeadLetter, error) {
	var deadLetter DeadLetter
	err := c.do(ctx, call{method: http.MethodGet, path: join("dead", strconv.FormatUint(sequence, 10))}, &deadLetter)
	return deadLetter, err
}

// BulkRequest selects dead letters: either one, or those that match a filter. If Rate or Max is 0,
// the server's default applies.
type BulkRequest struct {
	Sequence uint64 `json:"sequence,omitempty"`
	DeadFilter
	DryRun bool `json:"dryRun,omitempty"`
	Rate   int  `json:"rate,omitempty"` // maximum dead letters per second
	Max    int  `json:"max,omitempty"`  // maximum number of dead letters
}

// BulkResult contains the result for each dead letter.
type BulkResult struct {
	Results []struct {
		DeadLetter
		Done  bool   `json:"done"`
		Note  string `json:"note,omitempty"`  // why it was skipped
		Error string `json:"error,omitempty"` // why it failed
	} `json:"results"`
	Done   int  `json:"done"`
	Failed int  `json:"failed"`
	More   bool `json:"more"` // there are more than Max
}

// ReplayDead requeues the items of dead letters, which are then deleted.
func (c *Client) ReplayDead(ctx context.Context, s BulkRequest) (BulkResult, error) {
	return c.bulk(ctx, "replay", s)
}

// DropDead removes dead letters permanently.
func (c *Client) DropDead(ctx context.Context, s BulkRequest) (BulkResult, error) {
	return c.bulk(ctx, "drop", s)
}

func (c *Client) bulk(ctx context.Context, verb string, s BulkRequest) (BulkResult, error) {
	var result BulkResult
	err := c.do(ctx, call{method: http.MethodPost, path: join("dead", verb), body: s}, &result)
	return result, err
}
