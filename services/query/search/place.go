package search

import (
	"cmp"
	"strings"
)

// Place is the page of a passage. It is the zero Place in a text without pages.
type Place struct {
	Page  int    `json:"page,omitempty" doc:"number of the page, slide or sheet, from 1; absent in a text without pages"`
	Type  string `json:"pageType,omitempty" enum:"page,slide,sheet" doc:"what page counts"`
	Sheet string `json:"sheet,omitempty" doc:"name of the sheet"`
}

// Types of pages.
const (
	PagePlain = "page"
	PageSlide = "slide"
	PageSheet = "sheet"
)

// pageEnd ends a page in a text.
const pageEnd = "\f"

// maxSheet is the maximum number of bytes of the name of a sheet.
const maxSheet = 200

// PlaceOf returns the place at the beginning of a text. pageType is the type of its pages, or "" if its pages, if there are any, are of type
// PagePlain.
func PlaceOf(text, pageType string) Place {
	if pageType == "" && !strings.Contains(text, pageEnd) {
		return Place{}
	}
	return Place{Page: 1, Type: cmp.Or(pageType, PagePlain)}.named(text)
}

// Places returns the places at the beginnings of the parts of a text.
func Places(text, pageType string, parts []string) []Place {
	places := make([]Place, len(parts))
	at := PlaceOf(text, pageType)
	for i, part := range parts {
		places[i], at = at, at.after(text, len(part))
		text = text[len(part):]
	}
	return places
}

// after returns the place at a position in a text that begins at p.
func (p Place) after(text string, at int) Place {
	if p.Page == 0 {
		return p
	}
	passed := strings.Count(text[:at], pageEnd)
	if passed == 0 {
		return p
	}
	p.Page += passed
	return p.named(text[strings.LastIndex(text[:at], pageEnd)+1:])
}

// named returns the place with the name of the sheet, which is the first line of its text.
func (p Place) named(text string) Place {
	if p.Type != PageSheet {
		return p
	}
	end := strings.IndexAny(text[:min(len(text), maxSheet)], "\n\f")
	if end < 0 {
		end = min(len(text), maxSheet)
	}
	p.Sheet = strings.ToValidUTF8(text[:end], "")
	return p
}
