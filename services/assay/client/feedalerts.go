package client

import (
	"context"
	"net/http"
	"time"
)

// FeedAlertSettings are the settings of an alert of the feed, as operators edit them. If a field is empty, the server's default
// applies.
type FeedAlertSettings struct {
	Kind         string  `json:"kind"` // match, volume, negative or silent
	Enabled      bool    `json:"enabled"`
	Tag          string  `json:"tag,omitempty"`
	Source       string  `json:"source,omitempty"`     // name of a feed source
	SourceType   string  `json:"sourceType,omitempty"` // newsapi, twitter, reddit or rss
	Keyword      string  `json:"keyword,omitempty"`    // match only
	Window       string  `json:"window,omitempty"`     // such as 30m
	Threshold    float64 `json:"threshold,omitempty"`  // items, a factor or a share
	MinItems     int     `json:"minItems,omitempty"`
	Resolve      float64 `json:"resolve,omitempty"` // in the unit of Threshold
	FireAfter    string  `json:"fireAfter,omitempty"`
	ResolveAfter string  `json:"resolveAfter,omitempty"`
}

// FeedAlert is an alert of the feed.
type FeedAlert struct {
	Name string `json:"name"`
	FeedAlertSettings
	State FeedAlertState `json:"state,omitzero"` // absent in the answer to a change
	ETag  string         `json:"etag,omitempty"` // ETag of the settings; absent in lists
}

// FeedAlertState is the state of an alert.
type FeedAlertState struct {
	Status      string    `json:"status"` // ok, firing, disabled or new
	Since       time.Time `json:"since,omitzero"`
	Value       float64   `json:"value"` // compared with Limit
	Limit       float64   `json:"limit"`
	Count       int       `json:"count"`             // items in the window
	Usual       *float64  `json:"usual,omitempty"`   // items that are usual
	Waiting     string    `json:"waiting,omitempty"` // why the alert cannot fire now
	EvaluatedAt time.Time `json:"evaluatedAt,omitzero"`
	Items       []struct {
		ID         string `json:"id"`
		Text       string `json:"text"`
		URL        string `json:"url,omitempty"`
		IngestedAt string `json:"ingestedAt"`
		Sentiment  string `json:"sentiment"`
	} `json:"items,omitempty"` // the items that caused the alert to fire
	Words []struct {
		Word  string `json:"word"`
		Count int    `json:"count"`
	} `json:"words,omitempty"` // the words that stood out when it fired
}

// FeedAlerts returns all alerts with their state, sorted by name.
func (c *Client) FeedAlerts(ctx context.Context) ([]FeedAlert, error) {
	var all struct {
		Alerts []FeedAlert `json:"alerts"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("feed", "alerts")}, &all)
	return all.Alerts, err
}

// FeedAlert returns one alert with its state.
func (c *Client) FeedAlert(ctx context.Context, name string) (FeedAlert, error) {
	return c.alert(ctx, call{method: http.MethodGet, path: join("feed", "alerts", name)})
}

// PutFeedAlert adds an alert if etag is empty. Otherwise it changes the alert if its ETag matches etag, where * matches any. If the
// ETag differs, it returns a Problem with status 412. The call is available only at a server's operator address. After a broken
// connection it is unknown whether the change was made.
func (c *Client) PutFeedAlert(ctx context.Context, name string, settings FeedAlertSettings, etag string) (FeedAlert, error) {
	header := http.Header{"If-Match": {etag}}
	if etag == "" {
		header = http.Header{"If-None-Match": {"*"}}
	}
	return c.alert(ctx, call{method: http.MethodPut, path: join("feed", "alerts", name), header: header, body: settings, once: true})
}

// DeleteFeedAlert removes the alert if its ETag matches etag, where * matches any; a firing alert resolves. Errors and address are the
// same as for PutFeedAlert.
func (c *Client) DeleteFeedAlert(ctx context.Context, name, etag string) error {
	header := http.Header{"If-Match": {etag}}
	return c.do(ctx, call{method: http.MethodDelete, path: join("feed", "alerts", name), header: header, once: true}, nil)
}

func (c *Client) alert(ctx context.Context, op call) (FeedAlert, error) {
	resp, err := c.open(ctx, op)
	if err != nil {
		return FeedAlert{}, err
	}
	found := FeedAlert{ETag: resp.Header.Get("ETag")}
	err = decode(resp, &found)
	return found, err
}
