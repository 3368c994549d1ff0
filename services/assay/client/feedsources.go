package client

import (
	"context"
	"net/http"
	"time"
)

// FeedSourceSettings are the settings of a source of the feed, as operators edit them. If a field
// is empty, the server's default applies.
type FeedSourceSettings struct {
	Kind     string   `json:"kind"` // newsapi or rss
	URL      string   `json:"url,omitempty"`
	Enabled  bool     `json:"enabled"`
	Interval string   `json:"interval,omitempty"` // such as 15m
	Quota    int      `json:"quota,omitempty"`    // requests per day (UTC)
	Tags     []string `json:"tags"`
	Match    string   `json:"match,omitempty"`       // rss only: text or all
	Language string   `json:"language,omitempty"`    // newsapi only
	Pages    int      `json:"pages,omitempty"`       // newsapi only
	Key      string   `json:"keyVariable,omitempty"` // newsapi only
}

// FeedSource is a source of the feed. Calls for sources are available only at a server's operator address.
type FeedSource struct {
	Name string `json:"name"`
	FeedSourceSettings
	State FeedSourceState `json:"state"`
	ETag  string          `json:"etag,omitempty"` // ETag of the settings; absent in lists
}

// FeedSourceState is the polling state of a source.
type FeedSourceState struct {
	Status    string    `json:"status"` // disabled, waiting, polling, paused or stopped
	Reason    string    `json:"reason,omitempty"`
	NextPoll  time.Time `json:"nextPoll,omitzero"` // earliest time of the next poll
	Failures  int       `json:"failures"`          // consecutive
	QuotaUsed int       `json:"quotaUsed"`         // requests made today (UTC)
	// Location is the URL that is polled instead of that of the settings, which redirects or is a web page.
	Location string          `json:"location,omitempty"`
	LastPoll *FeedSourcePoll `json:"lastPoll,omitempty"`
}

// FeedSourcePoll is the result of one poll.
type FeedSourcePoll struct {
	At       time.Time `json:"at"`
	Outcome  string    `json:"outcome"`
	Detail   string    `json:"detail,omitempty"`
	Requests int       `json:"requests"`
	Taken    struct {
		Created   int `json:"created"`
		Duplicate int `json:"duplicate"`
		// TagsDropped counts matching tags beyond the maximum of 5 per item.
		TagsDropped int `json:"tagsDropped"`
		Invalid     int `json:"invalid"`
		Skipped     int `json:"skipped"`
	} `json:"taken"`
}

// FeedSources returns all sources, sorted by name.
func (c *Client) FeedSources(ctx context.Context) ([]FeedSource, error) {
	var all struct {
		Sources []FeedSource `json:"sources"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("feed", "sources")}, &all)
	return all.Sources, err
}

// FeedSource returns one source.
func (c *Client) FeedSource(ctx context.Context, name string) (FeedSource, error) {
	return c.source(ctx, call{method: http.MethodGet, path: join("feed", "sources", name)})
}

// PutFeedSource adds a source if etag is empty. Otherwise it changes the source if its ETag matches
// etag, where * matches any. If the ETag differs, it returns a Problem with status 412. After a
// broken connection it is unknown whether the change was made.
func (c *Client) PutFeedSource(ctx context.Context, name string, settings FeedSourceSettings, etag string) (FeedSource, error) {
	header := http.Header{"If-Match": {etag}}
	if etag == "" {
		header = http.Header{"If-None-Match": {"*"}}
	}
	return c.source(ctx, call{method: http.MethodPut, path: join("feed", "sources", name), header: header, body: settings, once: true})
}

// DeleteFeedSource removes the source if its ETag matches etag, where * matches any. Its items
// remain. Errors are the same as for PutFeedSource.
func (c *Client) DeleteFeedSource(ctx context.Context, name, etag string) error {
	header := http.Header{"If-Match": {etag}}
	return c.do(ctx, call{method: http.MethodDelete, path: join("feed", "sources", name), header: header, once: true}, nil)
}

func (c *Client) source(ctx context.Context, op call) (FeedSource, error) {
	resp, err := c.open(ctx, op)
	if err != nil {
		return FeedSource{}, err
	}
	found := FeedSource{ETag: resp.Header.Get("ETag")}
	err = decode(resp, &found)
	return found, err
}
