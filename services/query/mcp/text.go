package mcp

import (
	"bytes"
	"context"
	"fmt"
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
	p := pager{page: max(in.Page, 1), offset: in.Offset}
	if err := c.stream(ctx, "/v1/library/files/"+id+"/text", nil, &p); err != nil {
		return pageText{}, err
	}
	if p.page > p.pages() {
		return pageText{}, fmt.Errorf("the text has %d pages: choose one of them", p.pages())
	}
	if in.Offset < 0 || in.Offset > p.length || len(p.part) > 0 && !utf8.RuneStart(p.part[0]) {
		return pageText{}, fmt.Errorf("%d is not an offset of page %d: begin at 0, and continue at nextOffset", in.Offset, p.page)
	}
	out := pageText{ID: file.ID, Version: file.Version, Name: file.Name, Page: p.page, Pages: p.pages(), Text: string(p.part)}
	if len(p.part) > maxText {
		end := maxText
		for !utf8.RuneStart(p.part[end]) {
			end--
		}
		out.Text, out.NextOffset = out.Text[:end], in.Offset+end
	}
	return out, nil
}

// pager keeps what follows an offset of one page of the text that is written to it. Pages end with a form feed.
type pager struct {
	page, offset int // the first page is 1

	ends   int    // form feeds so far
	within bool   // the last byte was not a form feed
	length int    // of the page
	part   []byte // at most maxText+1 bytes
}

// pages returns the number of pages. An empty text has one.
func (p *pager) pages() int {
	if p.within || p.ends == 0 {
		return p.ends + 1
	}
	return p.ends
}

// Write returns no error.
func (p *pager) Write(text []byte) (int, error) {
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\f'})
		if p.ends+1 == p.page {
			begin := min(max(p.offset-p.length, 0), len(line))
			p.part = append(p.part, line[begin:min(len(line), begin+maxText+1-len(p.part))]...)
			p.length += len(line)
		}
		if p.within = !ended; ended {
			p.ends++
		}
		rest = after
	}
	return len(text), nil
}
