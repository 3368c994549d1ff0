// Package newsapi is a client of the search endpoint "everything" of version 2
// of the newsapi.org API: https://newsapi.org/docs/endpoints/everything
package newsapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/guard/fetch"
	"github.com/assay-project/assay/pkg/reason"
)

// Endpoint is the public endpoint.
const Endpoint = "https://newsapi.org/v2/everything"

// PageSize is the maximum number of articles on a page.
const PageSize = 100

// ErrEnd means that the plan of the key does not include further pages of a search.
var ErrEnd = errors.New("the plan has no further pages")

// Search requests one page of a search, newest first.
type Search struct {
	Endpoint, Key string
	Phrase        string // searched verbatim, in title, description and body
	Language      string // two letters; empty means all
	From          time.Time
	Page          int // page number, from 1
}

// Article is a search result. Its texts may contain HTML.
type Article struct {
	Source      Source    `json:"source"`
	Author      string    `json:"author"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	URL         string    `json:"url"`
	PublishedAt time.Time `json:"publishedAt"`
}

// Source is the publisher of an article.
type Source struct {
	ID   string `json:"id"` // empty for most publishers
	Name string `json:"name"`
}

// Page is a page of results. Total counts the articles of all pages.
type Page struct {
	Total    int
	Articles []Article
}

// timeLayout is the format of times in the API: UTC, with no zone.
const timeLayout = "2006-01-02T15:04:05"

func (s Search) request() (fetch.Request, error) {
	u, err := url.Parse(s.Endpoint)
	if err != nil {
		return fetch.Request{}, err
	}
	query := u.Query()
	query.Set("q", `"`+strings.ReplaceAll(s.Phrase, `"`, " ")+`"`)
	query.Set("from", s.From.UTC().Format(timeLayout))
	query.Set("sortBy", "publishedAt")
	query.Set("pageSize", strconv.Itoa(PageSize))
	query.Set("page", strconv.Itoa(s.Page))
	if s.Language != "" {
		query.Set("language", s.Language)
	}
	u.RawQuery = query.Encode()
	// Sent in a header, because URLs appear in logs and errors.
	return fetch.Request{URL: u.String(), Header: http.Header{"X-Api-Key": {s.Key}}, Stay: true}, nil
}

// Do requests the page. It returns ErrEnd or the errors of package fetch.
func (s Search) Do(ctx context.Context, client fetch.Client) (Page, error) {
	request, err := s.request()
	if err != nil {
		return Page{}, err
	}
	resp, err := client.Get(ctx, request)
	if err != nil {
		return Page{}, err
	}
	return parse(resp)
}

func parse(resp fetch.Response) (Page, error) {
	var answer struct {
		Status, Code, Message string
		TotalResults          int
		Articles              []json.RawMessage
	}
	unreadable := json.Unmarshal(resp.Body, &answer)
	if err := failure(resp, answer.Code, answer.Message); err != nil {
		return Page{}, err
	}
	if unreadable != nil || answer.Status != "ok" {
		return Page{}, fmt.Errorf("%w: the response is not in the format of NewsAPI", fetch.ErrMalformed)
	}
	page := Page{Total: answer.TotalResults, Articles: make([]Article, len(answer.Articles))}
	for i, raw := range answer.Articles {
		// An error in one article, such as in its time, does not affect the others.
		_ = json.Unmarshal(raw, &page.Articles[i])
	}
	return page, nil
}

// failure returns the error for an error code, or for the status if the code is not more
// specific: https://newsapi.org/docs/errors
func failure(resp fetch.Response, code, message string) error {
	const maxMessage = 200
	text := strings.TrimSpace(strings.ToValidUTF8(message[:min(len(message), maxMessage)], ""))
	if code != "" {
		text = code + ": " + text
	}
	switch code {
	case "apiKeyDisabled", "apiKeyInvalid", "apiKeyMissing":
		return fetch.ErrUnauthorized.With(reason.Report, text)
	case "rateLimited", "apiKeyExhausted":
		return &fetch.Throttled{Reason: text, After: resp.RetryAfter(time.Now())}
	case "maximumResultsReached":
		return fmt.Errorf("%w: %w", ErrEnd, reason.FeedReport.Fill(text))
	}
	if err := resp.Err(text); err != nil {
		return err
	}
	if code != "" {
		return reason.FeedReport.Fill(text)
	}
	return nil
}
