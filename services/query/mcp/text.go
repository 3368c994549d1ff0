package mcp

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxText is the maximum number of bytes of a text that one call returns.
const maxText = 32 << 10

type node struct {
	ID      string
	Version int64
	Name    string
	Type    string
}

type textInput struct {
	ID     string `json:"id" jsonschema:"id of a file"`
	Page   int    `json:"page,omitempty" jsonschema:"page of the document, 1 or more; default 1"`
	Offset int    `json:"offset,omitempty" jsonschema:"where to begin in the page: 0, or nextOffset of the previous call"`
}

type pageText struct {
	ID         string `json:"id"`
	Version    int64  `json:"version" jsonschema:"version of the file"`
	Name       string `json:"name"`
	Page       int    `json:"page"`
	Pages      int    `json:"pages" jsonschema:"number of pages with text; 1 for a file without pages"`
	Text       string `json:"text"`
	NextOffset int    `json:"nextOffset,omitempty" jsonschema:"where the page continues; absent at its end"`
}

// idOf returns an id in the form that paths contain.
func idOf(id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return "", fmt.Errorf("%q is not an id: search_library returns the ids of files", id)
	}
	return parsed.String(), nil
}

// text is the tool read_text. Pages end with a form feed.
func (c caller) text(ctx context.Context, in textInput) (pageText, error) {
	id, err := idOf(in.ID)
	if err != nil {
		return pageText{}, err
	}
	var file node
	if err := c.read(ctx, "/v1/library/nodes/"+id, nil, &file); err != nil {
		return pageText{}, err
	}
	body, err := c.get(ctx, "/v1/library/files/"+id+"/text", nil)
	if err != nil {
		return pageText{}, err
	}
	pages := strings.Split(strings.TrimSuffix(string(body), "\f"), "\f")
	page := max(in.Page, 1)
	if page > len(pages) {
		return pageText{}, fmt.Errorf("the text has %d pages: choose one of them", len(pages))
	}
	rest := pages[page-1]
	if in.Offset < 0 || in.Offset > len(rest) || in.Offset < len(rest) && !utf8.RuneStart(rest[in.Offset]) {
		return pageText{}, fmt.Errorf("%d is not an offset of page %d: begin at 0, and continue at nextOffset", in.Offset, page)
	}
	rest = rest[in.Offset:]
	out := pageText{ID: file.ID, Version: file.Version, Name: file.Name, Page: page, Pages: len(pages), Text: rest}
	if len(rest) > maxText {
		end := maxText
		for !utf8.RuneStart(rest[end]) {
			end--
		}
		out.Text, out.NextOffset = rest[:end], in.Offset+end
	}
	return out, nil
}
