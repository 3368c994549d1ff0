package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// SavedSearch is a search that the client's owner has saved.
type SavedSearch struct {
	Name      string    `json:"name"` // a to z, 0 to 9 and hyphens
	Query     string    `json:"q"`
	Areas     []string  `json:"areas"` // empty for all
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// SavedSearches returns the owner's saved searches, by name.
func (c *Client) SavedSearches(ctx context.Context) ([]SavedSearch, error) {
	var list struct {
		Searches []SavedSearch `json:"searches"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: join("searches")}, &list)
	return list.Searches, err
}

// SavedSearch returns the saved search with a name.
func (c *Client) SavedSearch(ctx context.Context, name string) (SavedSearch, error) {
	var s SavedSearch
	return s, c.do(ctx, call{method: http.MethodGet, path: join("searches", name)}, &s)
}

// SaveSearch saves a search under a name. It replaces the one with that name. areas can be empty, for all.
func (c *Client) SaveSearch(ctx context.Context, name, query string, areas ...string) (SavedSearch, error) {
	body := struct {
		Query string   `json:"q"`
		Areas []string `json:"areas,omitempty"`
	}{query, areas}
	var s SavedSearch
	return s, c.do(ctx, call{method: http.MethodPut, path: join("searches", name), body: body}, &s)
}

// DeleteSearch deletes a saved search. It succeeds if there is none with the name.
func (c *Client) DeleteSearch(ctx context.Context, name string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("searches", name)}, nil)
}

// RunSearch returns a page of the hits of a saved search. limit is the maximum number of hits, or 0 for the server's default, and
// cursor is NextCursor of the previous page, or empty.
func (c *Client) RunSearch(ctx context.Context, name string, limit int, cursor string) (FoundPage, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var page FoundPage
	return page, c.do(ctx, call{method: http.MethodGet, path: join("searches", name, "hits"), query: query}, &page)
}
