package mcp

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions tell a model how the tools belong together.
const instructions = "Assay stores files, extracts their texts and records, and rates messages of a feed. Find files with search_library, " +
	"read them with read_text or list_records, and name the file, its version and the page of what you cite."

// server returns the tools for one request.
func server(c caller, cache *mcp.SchemaCache) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "assay", Title: "Assay", Version: "1"}, &mcp.ServerOptions{Instructions: instructions, SchemaCache: cache})
	add(s, "search_library", "Find folders and files by the words of their names, properties and texts. A query consists of words that must all occur, "+
		"in any of their forms, \"quoted phrases\", prefixes such as rep*, excluded words such as -draft, fields such as title:report or author:ann, and "+
		"filters such as type:pdf in:/Reports before:2026-07 size:>10MB.", c.search)
	add(s, "read_text", "Read the extracted text of a file, a page at a time.", c.text)
	add(s, "list_records", "List the records of a file: rows of a table, molecules, reactions, crystals or spectra.", c.records)
	add(s, "feed_series", "Count the messages of the feed by sentiment, over time.", c.series)
	return s
}

// add adds a tool that only reads.
func add[In, Out any](s *mcp.Server, name, description string, call func(context.Context, In) (Out, error)) {
	closed := false
	tool := &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed}}
	mcp.AddTool(s, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := call(ctx, in)
		return nil, out, err
	})
}

type searchInput struct {
	Query  string `json:"query" jsonschema:"what to find, at most 500 characters"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of hits, 1 to 100; default 20"`
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
	Boxes  bool   `json:"boxes,omitempty" jsonschema:"also return where the words are on their pages"`
}

type hit struct {
	ID       string    `json:"id" jsonschema:"id of the folder or file"`
	Version  int64     `json:"version" jsonschema:"version of the folder or file"`
	Name     string    `json:"name"`
	Type     string    `json:"type"`
	Snippets []snippet `json:"snippets" jsonschema:"parts of the name, the properties or the text that match"`
	TextCut  string    `json:"textCut,omitempty" jsonschema:"why only a part of the text is searched"`
}

type snippet struct {
	Text  string `json:"text"`
	Page  int    `json:"page,omitempty" jsonschema:"page, slide or sheet of the text, as in read_text; absent in a text without pages"`
	Sheet string `json:"sheet,omitempty" jsonschema:"name of the sheet"`
	Boxes []box  `json:"boxes,omitempty" jsonschema:"where the words are on the page, if boxes is true and that is known"`
}

type box struct {
	Left   float64 `json:"left" jsonschema:"in fractions of the width of the page"`
	Top    float64 `json:"top" jsonschema:"from the top, in fractions of the height of the page"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type hits struct {
	Hits       []hit  `json:"hits" jsonschema:"best first"`
	Total      int    `json:"total" jsonschema:"number of hits on all pages"`
	NextCursor string `json:"nextCursor,omitempty" jsonschema:"cursor of the next page"`
}

// search is the tool search_library.
func (c caller) search(ctx context.Context, in searchInput) (hits, error) {
	q := url.Values{"q": {in.Query}}
	set(q, "limit", in.Limit)
	setText(q, "cursor", in.Cursor)
	if in.Boxes {
		q.Set("boxes", "true")
	}
	var page struct {
		Hits []struct {
			Node     node
			TextCut  string
			Snippets []struct {
				Parts []struct{ Text string }
				Page  int
				Sheet string
				Boxes []box
			}
		}
		Total      int
		NextCursor string
	}
	if err := c.read(ctx, "/v1/library/search", q, &page); err != nil {
		return hits{}, err
	}
	found := hits{Hits: make([]hit, len(page.Hits)), Total: page.Total, NextCursor: page.NextCursor}
	for i, h := range page.Hits {
		snippets := make([]snippet, len(h.Snippets))
		for j, s := range h.Snippets {
			snippets[j] = snippet{Page: s.Page, Sheet: s.Sheet, Boxes: s.Boxes}
			for _, part := range s.Parts {
				snippets[j].Text += part.Text
			}
		}
		found.Hits[i] = hit{ID: h.Node.ID, Version: h.Node.Version, Name: h.Node.Name, Type: h.Node.Type, Snippets: snippets, TextCut: h.TextCut}
	}
	return found, nil
}

type recordsInput struct {
	ID     string `json:"id" jsonschema:"id of a file"`
	Filter string `json:"filter,omitempty" jsonschema:"comparisons of fields and properties with < <= > >= = != ~ !~, combined with and, or, not and parentheses, such as logP<3 and name~acid"`
	Fields string `json:"fields,omitempty" jsonschema:"comma-separated names of the fields and properties to return; default: all"`
	Sort   string `json:"sort,omitempty" jsonschema:"comma-separated names of up to 5 fields and properties; a minus sign sorts in descending order"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of records, 1 to 200; default 50"`
	Cursor string `json:"cursor,omitempty" jsonschema:"nextCursor of the previous page"`
}

// records is the tool list_records. It returns the page of the API.
func (c caller) records(ctx context.Context, in recordsInput) (map[string]any, error) {
	id, err := idOf(in.ID)
	if err != nil {
		return nil, err
	}
	q := url.Values{}
	setText(q, "filter", in.Filter)
	setText(q, "fields", in.Fields)
	setText(q, "sort", in.Sort)
	set(q, "limit", in.Limit)
	setText(q, "cursor", in.Cursor)
	return c.object(ctx, "/v1/library/files/"+id+"/records", q)
}

type seriesInput struct {
	Hours      int    `json:"hours,omitempty" jsonschema:"length in hours, 1 to 168, of the window that ends now; default 24"`
	Bucket     string `json:"bucket,omitempty" jsonschema:"length of a bucket: 1m, 5m, 1h or 1d; default 1h"`
	SourceType string `json:"sourceType,omitempty" jsonschema:"newsapi, twitter, reddit or rss; default: all"`
	Sentiment  string `json:"sentiment,omitempty" jsonschema:"positive, neutral or negative; default: all"`
	Tag        string `json:"tag,omitempty" jsonschema:"only messages with this tag"`
}

// series is the tool feed_series. It returns the series of the API.
func (c caller) series(ctx context.Context, in seriesInput) (map[string]any, error) {
	q := url.Values{}
	set(q, "hours", in.Hours)
	setText(q, "bucket", in.Bucket)
	setText(q, "sourceType", in.SourceType)
	setText(q, "sentiment", in.Sentiment)
	setText(q, "tag", in.Tag)
	return c.object(ctx, "/v1/feed/series", q)
}

// object returns the JSON object that is the body of a call.
func (c caller) object(ctx context.Context, path string, q url.Values) (map[string]any, error) {
	body, err := c.get(ctx, path, q)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	return object, json.Unmarshal(body, &object)
}

func set(q url.Values, name string, value int) {
	if value != 0 {
		q.Set(name, strconv.Itoa(value))
	}
}

func setText(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}
