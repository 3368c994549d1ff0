package client

import (
	"context"
	"io"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// Search selects nodes by the words that they contain. Zero values do not restrict the result.
type Search struct {
	Query    string // words, "phrases", prefixes such as rep*, and -exclusions
	Type     string // such as NodeFile
	Format   string // file name extension, such as pdf
	ParentID string // id of a folder; searches below it
	Status   string
	From, To time.Time // range of the creation time; To is exclusive
	Boxes    bool      // asks for the boxes of snippets
	Limit    int       // page size; 0 means the server's default
	Cursor   string    // NextCursor of the previous page
	After    string    // a NodeVersion: waits until the search index has that version
}

// NodeVersion returns the value of Search.After and Sorting.After for this version of a node.
func NodeVersion(n Node) string { return n.ID + ":" + strconv.FormatInt(n.Version, 10) }

// SearchPage is a page of hits, best first.
type SearchPage struct {
	Hits           []SearchHit  `json:"hits"`
	Facets         SearchFacets `json:"facets"`
	Total          int          `json:"total"`
	TotalIsMinimum bool         `json:"totalIsMinimum,omitempty"`
	NextCursor     string       `json:"nextCursor,omitempty"`
	IndexedVersion uint64       `json:"indexedVersion"`
}

// SearchHit is a matching node.
type SearchHit struct {
	Node     Node            `json:"node"`
	Score    float64         `json:"score"`
	Snippets []SearchSnippet `json:"snippets"`
	TextCut  string          `json:"textCut,omitempty"` // why only a part of the text is searched
}

// SearchSnippet is an excerpt of a name, text or entry of the metadata that contains words of the query.
type SearchSnippet struct {
	Field    string       `json:"field"` // name, text, or the entry, such as title
	Parts    []SearchPart `json:"parts"`
	Page     int          `json:"page,omitempty"`     // page, slide or sheet of the text, from 1; 0 in a text without pages
	PageType string       `json:"pageType,omitempty"` // page, slide or sheet
	Sheet    string       `json:"sheet,omitempty"`    // name of the sheet
	Boxes    []Box        `json:"boxes,omitempty"`    // where words of the query are on the page, if the search asks for boxes
}

// Box is a rectangle of a page, in fractions of its width and height.
type Box struct {
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// SearchPart is a part of a snippet, in plain text.
type SearchPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// SearchFacets counts the hits on all pages.
type SearchFacets struct {
	Type   []SearchCount `json:"type"`
	Format []SearchCount `json:"format"`
	Year   []SearchCount `json:"year"`
}

// SearchCount is the number of hits with a value.
type SearchCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// SearchLibrary returns one page of nodes that match a query and that the owner may read.
func (c *Client) SearchLibrary(ctx context.Context, s Search) (SearchPage, error) {
	op := libraryRead(Reading{}, "search")
	for name, value := range map[string]string{
		"q": s.Query, "type": s.Type, "format": s.Format, "parentId": s.ParentID, "status": s.Status, "cursor": s.Cursor, "after": s.After,
		"from": timeOf(s.From), "to": timeOf(s.To),
	} {
		if value != "" {
			op.query.Set(name, value)
		}
	}
	if s.Boxes {
		op.query.Set("boxes", "true")
	}
	if s.Limit > 0 {
		op.query.Set("limit", strconv.Itoa(s.Limit))
	}
	var page SearchPage
	err := c.do(ctx, op, &page)
	return page, err
}

func timeOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// SimilarFile is a picture that looks the same as another.
type SimilarFile struct {
	Node      Node `json:"node"`
	Identical bool `json:"identical"` // the files have the same bytes
	Distance  int  `json:"distance"`  // of the perceptual hashes, 0 to 10
}

// Similar lists the pictures of the owner of a picture that look the same as it, the most similar first.
type Similar struct {
	Files      []SimilarFile `json:"files"`
	Incomplete bool          `json:"incomplete,omitempty"` // the owner has more pictures than were compared
}

// SimilarFiles lists at most limit pictures that look the same as a picture. after, which may be empty, is the NodeVersion
// that the search index must have.
func (c *Client) SimilarFiles(ctx context.Context, r Reading, fileID string, limit int, after string) (Similar, error) {
	op := libraryRead(r, "files", fileID, "similar")
	op.query.Set("limit", strconv.Itoa(limit))
	if after != "" {
		op.query.Set("after", after)
	}
	var list Similar
	err := c.do(ctx, op, &list)
	return list, err
}

// Sorting is the order of a list.
type Sorting struct {
	Sort  string // such as "name,-size"; empty means newest first
	After string // a NodeVersion: waits until the list has that version
}

func (s Sorting) set(query url.Values) {
	if s.Sort != "" {
		query.Set("sort", s.Sort)
	}
	if s.After != "" {
		query.Set("after", s.After)
	}
}

// SortedChildren iterates over the content of a folder.
func (c *Client) SortedChildren(ctx context.Context, folderID string, s Sorting) iter.Seq2[Node, error] {
	return c.sorted(ctx, s, "nodes", folderID, "children")
}

// SharedNodes iterates over the nodes that others share with the owner.
func (c *Client) SharedNodes(ctx context.Context, s Sorting) iter.Seq2[Node, error] {
	return c.sorted(ctx, s, "nodes", "shared")
}

// PublicNodes iterates over the public nodes.
func (c *Client) PublicNodes(ctx context.Context, s Sorting) iter.Seq2[Node, error] {
	return c.sorted(ctx, s, "nodes", "public")
}

func (c *Client) sorted(ctx context.Context, s Sorting, segments ...string) iter.Seq2[Node, error] {
	op := libraryRead(Reading{}, segments...)
	s.set(op.query)
	return c.nodes(ctx, op)
}

// NodeText returns the text of a file, in UTF-8. The caller closes it.
func (c *Client) NodeText(ctx context.Context, id string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "files", id, "text"))
}

// TextPage is the text of a page of a file.
type TextPage struct {
	Page     int        `json:"page"`
	Pages    int        `json:"pages"`    // 1 for a text without pages
	PageType string     `json:"pageType"` // page, slide or sheet
	Sheet    string     `json:"sheet,omitempty"`
	Width    float64    `json:"width,omitempty"` // in points; 0 if the positions of the words are unknown
	Height   float64    `json:"height,omitempty"`
	Parts    []TextPart `json:"parts"`
	Cut      bool       `json:"cut,omitempty"` // the text is a part of the page
}

// TextPart is a part of the text of a page.
type TextPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"` // the part matches the query
	Box   *Box   `json:"box,omitempty"`
}

// NodePage returns a page, from 1, of the text of a file, with the words that match a query, which may be empty.
func (c *Client) NodePage(ctx context.Context, id string, page int, query string, r Reading) (TextPage, error) {
	op := libraryRead(r, "files", id, "pages", strconv.Itoa(page))
	if query != "" {
		op.query.Set("q", query)
	}
	var found TextPage
	err := c.do(ctx, op, &found)
	return found, err
}

// NodeReader returns the article of a web page, or all of the page, as an HTML document without active content. The caller
// closes it.
func (c *Client) NodeReader(ctx context.Context, id string, r Reading) (io.ReadCloser, error) {
	return c.body(ctx, libraryRead(r, "files", id, "reader"))
}

// NodeMetadata returns the metadata of a file.
func (c *Client) NodeMetadata(ctx context.Context, id string, r Reading) (map[string]any, error) {
	var found struct {
		Metadata map[string]any `json:"metadata"`
	}
	err := c.do(ctx, libraryRead(r, "files", id, "metadata"), &found)
	return found.Metadata, err
}

// NodeImages returns the pictures of a file.
func (c *Client) NodeImages(ctx context.Context, id string, r Reading) ([]NodeImage, error) {
	var found struct {
		Images []NodeImage `json:"images"`
	}
	err := c.do(ctx, libraryRead(r, "files", id, "images"), &found)
	return found.Images, err
}
