package mcp

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/query/search"
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
	Page   int    `json:"page,omitempty" jsonschema:"page, slide or sheet of the document, 1 or more, such as the page of a snippet; default 1"`
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

// text is the tool read_text.
func (c caller) text(ctx context.Context, in textInput) (pageText, error) {
	id, err := idOf(in.ID)
	if err != nil {
		return pageText{}, err
	}
	var file node
	if err := c.read(ctx, "/v1/library/nodes/"+id, nil, &file); err != nil {
		return pageText{}, err
	}
	p := pager{offset: in.Offset}
	pages := search.Pages{Page: max(in.Page, 1), Take: p.take}
	if err := c.stream(ctx, "/v1/library/files/"+id+"/text", nil, &pages); err != nil {
		return pageText{}, err
	}
	if pages.Page > pages.Count() {
		return pageText{}, fmt.Errorf("the text has %d pages: choose one of them", pages.Count())
	}
	if in.Offset < 0 || in.Offset > p.length || len(p.part) > 0 && !utf8.RuneStart(p.part[0]) {
		return pageText{}, fmt.Errorf("%d is not an offset of page %d: begin at 0, and continue at nextOffset", in.Offset, pages.Page)
	}
	out := pageText{ID: file.ID, Version: file.Version, Name: file.Name, Page: pages.Page, Pages: pages.Count(), Text: string(p.part)}
	if len(p.part) > maxText {
		end := maxText
		for !utf8.RuneStart(p.part[end]) {
			end--
		}
		out.Text, out.NextOffset = out.Text[:end], in.Offset+end
	}
	return out, nil
}

// pager keeps what follows an offset of one page.
type pager struct {
	offset int
	length int    // of the page
	part   []byte // at most maxText+1 bytes
}

func (p *pager) take(part []byte) {
	begin := min(max(p.offset-p.length, 0), len(part))
	p.part = append(p.part, part[begin:min(len(part), begin+maxText+1-len(p.part))]...)
	p.length += len(part)
}
