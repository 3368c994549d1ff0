package library

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/terms"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/search"
)

const (
	// maxPageText is the maximum number of bytes of the text of a page that is returned.
	maxPageText = 256 << 10
	// beforeMatch is the number of bytes before the first match of a longer page that are returned.
	beforeMatch = 1 << 10
)

func (a *Area) pageRoute(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "get-library-page", Method: http.MethodGet, Path: "/v1/library/files/{id}/pages/{page}", Security: web.OptionalSecurity, Tags: []string{tag},
		Summary: "Get the text of a page of a file, with the words of a query",
		Description: "A page of a PDF or another text with form feeds, a slide or a sheet. A text without pages is page 1. The parts that match q, as in a " +
			"search of the library, are marked, in all their forms; it need not match the file. The words of a PDF have their positions on the page. " +
			"Returns 404 for a file without text.",
	}, a.getPage, linked, ofFile, tooManyDownloads, web.Refusals{http.StatusUnprocessableEntity: {"search-syntax"}})
}

type pageInput struct {
	web.IDParam
	ReaderParam
	Page  int    `path:"page" minimum:"1" maximum:"10000000" example:"7" doc:"number of the page, slide or sheet, from 1, such as the page of a snippet"`
	Query string `query:"q" maxLength:"500" example:"\"annual report\" 202*" doc:"what to mark"`
}

type pageOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         textPage
}

type textPage struct {
	Page   int        `json:"page" doc:"number of the page, slide or sheet, from 1"`
	Pages  int        `json:"pages" doc:"number of pages with text; 1 for a text without pages"`
	Type   string     `json:"pageType" enum:"page,slide,sheet" doc:"what page counts"`
	Sheet  string     `json:"sheet,omitempty" doc:"name of the sheet"`
	Width  float64    `json:"width,omitempty" doc:"of the page, in points (1/72 inch); absent if the positions of the words are unknown"`
	Height float64    `json:"height,omitempty" doc:"of the page, in points"`
	Parts  []textPart `json:"parts" nullable:"false" doc:"the concatenated parts are the text of the page; they are plain text: escape them for HTML"`
	Cut    bool       `json:"cut,omitempty" doc:"the text is a part of the page, of at most 256 KiB, from shortly before the first match"`
}

type textPart struct {
	Text  string      `json:"text"`
	Match bool        `json:"match,omitempty" doc:"the part matches the query"`
	Box   *search.Box `json:"box,omitempty" doc:"where the part is on the page as displayed; absent if that is unknown"`
}

func (a *Area) getPage(ctx context.Context, in *pageInput) (*pageOutput, error) {
	parsed, err := terms.Parse(in.Query)
	if err != nil {
		return nil, problem(err)
	}
	file, _, _, err := a.readableFile(ctx, in.ID, in.ReaderParam)
	if err != nil {
		return nil, problem(err)
	}
	leave, err := in.Caller.Enter(a.downloads, "downloads")
	if err != nil {
		return nil, err
	}
	defer leave()
	reader := newPageReader(in.Page, parsed.Terms)
	err = reader.read(ctx, a, file)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, web.NotFound("The file has no text" + a.without(ctx, file, extract.StepText) + ".")
	}
	if err != nil {
		return nil, err
	}
	pageType, _ := file.Metadata[library.MetadataPageType].(string)
	if in.Page > reader.Count() {
		return nil, web.NotFound(fmt.Sprintf("The text has no page %d: the last page is %d.", in.Page, reader.Count()))
	}
	shown, at := reader.String(), reader.place(pageType)
	page := textPage{Page: in.Page, Pages: reader.Count(), Type: search.PagePlain, Sheet: at.Sheet}
	if at.Page > 0 {
		page.Type = at.Type
	}
	if page.Type == search.PagePlain && at.Page > 0 {
		p, err := a.positions(ctx, file.ID, file.Run, in.Page)
		if err != nil {
			return nil, err
		}
		if p != nil && textOf(p) == shown && len(shown) <= maxPageText {
			page.Width, page.Height = rounded(p.Width), rounded(p.Height)
			page.Parts = placed(p.Words, search.Mark(shown, search.FormsIn(shown, parsed.Terms)))
			return &pageOutput{CacheControl: noStore, Body: page}, nil
		}
	}
	page.Parts, page.Cut = unplaced(shown, parsed.Terms)
	page.Cut = page.Cut || reader.cut
	return &pageOutput{CacheControl: noStore, Body: page}, nil
}

// unplaced returns a text as parts without positions, and whether it is cut.
func unplaced(text string, asked search.Terms) (parts []textPart, cut bool) {
	if cut = len(text) > maxPageText; cut {
		from := 0
		if found := search.Mark(text, asked); len(found) > 0 {
			from = max(0, found[0].Start-beforeMatch)
		}
		text = strings.ToValidUTF8(text[from:min(len(text), from+maxPageText)], "")
	}
	at := 0
	add := func(to int, match bool) {
		if to > at {
			parts = append(parts, textPart{Text: text[at:to], Match: match})
		}
		at = to
	}
	for _, s := range search.Mark(text, search.FormsIn(text, asked)) {
		add(s.Start, false)
		add(s.End, true)
	}
	add(len(text), false)
	return append([]textPart{}, parts...), cut
}

// rounded returns a number with 4 decimals.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }
