package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// DeadLetter is a message that no consumer could process. The calls on dead
// letters are answered at a server's operator address only.
type DeadLetter struct {
	Sequence uint64          `json:"sequence"`
	Consumer string          `json:"consumer"`
	Subject  string          `json:"subject"`
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts"`
	First    time.Time       `json:"first"`
	Last     time.Time       `json:"last"`
	EventID  string          `json:"eventId,omitempty"`
	Type     string          `json:"type,omitempty"`
	Item     string          `json:"item,omitempty"`
	Payload  json.RawMessage `json:"payload,omitempty"` // not in lists
}

// DeadFilter selects dead letters. Its zero value selects all.
type DeadFilter struct {
	Consumer string    `json:"consumer,omitempty"`
	Reason   string    `json:"reason,omitempty"` // a part of it
	From     time.Time `json:"from,omitzero"`    // given up then or later
	To       time.Time `json:"to,omitzero"`      // given up before
}

// DeadLetters reads up to limit dead letters after a sequence, oldest first, and
// says whether there are more.
func (c *Client) DeadLetters(ctx context.Context, f DeadFilter, after uint64, limit int) ([]DeadLetter, bool, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}, "after": {strconv.FormatUint(after, 10)}}
	for name, value := range map[string]string{"consumer": f.Consumer, "reason": f.Reason} {
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

// DeadLetter reads one dead letter with its payload.
func (c *Client) DeadLetter(ctx context.Context, sequence uint64) (DeadLetter, error) {
	var letter DeadLetter
	err := c.do(ctx, call{method: http.MethodGet, path: join("dead", strconv.FormatUint(sequence, 10))}, &letter)
	return letter, err
}

// Sifting says to which dead letters something is done: to one, or to those of
// a filter. The zero values of Rate and Max are the server's defaults.
type Sifting struct {
	Sequence uint64 `json:"sequence,omitempty"`
	DeadFilter
	DryRun bool `json:"dryRun,omitempty"`
	Rate   int  `json:"rate,omitempty"` // letters a second at most
	Max    int  `json:"max,omitempty"`  // letters at most
}

// Sifted says what became of the letters.
type Sifted struct {
	Results []struct {
		DeadLetter
		Done  bool   `json:"done"`
		Note  string `json:"note,omitempty"`  // why nothing was to be done
		Error string `json:"error,omitempty"` // why it could not be done
	} `json:"results"`
	Done   int  `json:"done"`
	Failed int  `json:"failed"`
	More   bool `json:"more"` // there are others behind the Max
}

// ReplayDead brings the items of dead letters on their way again.
func (c *Client) ReplayDead(ctx context.Context, s Sifting) (Sifted, error) {
	return c.sift(ctx, "replay", s)
}

// DropDead removes dead letters for good.
func (c *Client) DropDead(ctx context.Context, s Sifting) (Sifted, error) {
	return c.sift(ctx, "drop", s)
}

func (c *Client) sift(ctx context.Context, verb string, s Sifting) (Sifted, error) {
	var sifted Sifted
	err := c.do(ctx, call{method: http.MethodPost, path: join("dead", verb), body: s}, &sifted)
	return sifted, err
}
