package item

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/web"
)

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	r.Anonymous(path+"/", s.forEveryone)
	web.Register(r, huma.Operation{
		OperationID: "list-items", Method: http.MethodGet, Path: path, Tags: []string{"items"},
		Summary: "List the caller's items of all areas, newest first",
		Description: "Contains text files, photo jobs, and files of the library outside of the trash. Items that are added or deleted while pages are read " +
			"move no others to another page. Feed messages have no owner: GET /v1/feed/items lists them. " +
			"With tag, contains the items of all areas that the caller has tagged and may see, also those of other owners, those tagged last first.",
	}, s.list, web.Refusals{http.StatusBadRequest: {"owner-required"}})
	web.Register(r, huma.Operation{
		OperationID: "get-item", Method: http.MethodGet, Path: path + "/{area}/{id}", Security: web.OptionalSecurity, Tags: []string{"items"},
		Summary:     "Get an item of any area",
		Description: "Returns the items that the call of the area returns, also feed messages and shared files of the library. Encode the # in the id of a feed message as %23.",
	}, s.get, web.Refusals{http.StatusNotFound: {"link-not-valid"}})
	s.tagRoutes(r)
}

// path is the path of the list.
const path = "/v1/items"

type listInput struct {
	web.CallerParam
	Area   string   `query:"area" maxLength:"64" doc:"only items of this area: textfile, photojob or library; with tag also feed"`
	Status Status   `query:"status" enum:"waiting,processing,done,partial,failed" doc:"only items with this status"`
	Tag    []string `query:"tag,explode" maxItems:"20" example:"budget" doc:"only items with this tag of the caller, whatever its case; repeat it for items with all of several tags"`
	Limit  int32    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string   `query:"cursor" doc:"the nextCursor of the previous page"`
}

type listOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         itemList
}

type itemList struct {
	Items      []itemSummary `json:"items" nullable:"false" doc:"may be fewer than limit, or none, even if there is a nextCursor"`
	NextCursor string        `json:"nextCursor,omitempty" doc:"absent on the last page"`
}

// itemSummary is an item of any area in the HTTP API.
type itemSummary struct {
	ID          string    `json:"id" doc:"id in the area"`
	Area        string    `json:"area" example:"textfile" doc:"the area of the item: textfile, feed, photojob or library"`
	Name        string    `json:"name" doc:"name of the file; of a feed message its URL, or else its id"`
	Size        *int64    `json:"size,omitempty" doc:"size of the content in bytes, if it is known"`
	ContentType string    `json:"contentType,omitempty" doc:"media type of the content, if it is known"`
	Status      Status    `json:"status" enum:"waiting,processing,done,partial,failed" doc:"the state in the vocabulary of all areas. waiting: for its upload or for a worker; partial: processed, except for a part that failed"`
	AreaStatus  string    `json:"areaStatus" example:"COMPLETED" doc:"the state in the vocabulary of the area"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt,omitzero" doc:"when the item last changed"`
	Error       string    `json:"error,omitempty" doc:"why the item failed, or what is missing from it"`
	Tags        []string  `json:"tags" nullable:"false" doc:"the tags that the caller gave to the item, sorted"`
	Links       itemLinks `json:"links"`
}

// itemLinks are paths at this server.
type itemLinks struct {
	Self    string `json:"self" example:"/v1/items/textfile/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"path of this view of the item"`
	Details string `json:"details" example:"/v1/files/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"path of the item as its area shows it, with its result"`
	Content string `json:"content,omitempty" example:"/v1/files/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44/content" doc:"path that redirects to the content: the uploaded file, or the edited photo. Absent if there is none yet"`
	Page    string `json:"page" example:"/files/0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"path of the page of the web app"`
}

func view(area string, i Item) itemSummary {
	return itemSummary{
		ID: i.ID, Area: area, Name: i.Name, Size: i.Size, ContentType: i.ContentType, Status: i.Status, AreaStatus: i.State,
		CreatedAt: i.Created.UTC(), UpdatedAt: i.Updated.UTC(), Error: i.Error, Tags: []string{},
		Links: itemLinks{Self: path + "/" + area + "/" + url.PathEscape(i.ID), Details: i.Details, Content: i.Content, Page: i.Page},
	}
}

func (s *Service) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if in.Caller.Owner == "" {
		return nil, web.NewProblem(http.StatusBadRequest, "owner-required", "Send X-Owner-Id: this request requires an owner.")
	}
	items, next, err := s.page(ctx, in)
	if errors.Is(err, table.ErrCursor) {
		return nil, web.InvalidCursor()
	}
	if err != nil {
		return nil, err
	}
	return &listOutput{CacheControl: "no-store", Body: itemList{items, next}}, nil
}

// page returns the page of a list that a request selects, and the cursor of the next one.
func (s *Service) page(ctx context.Context, in *listInput) (items []itemSummary, next string, err error) {
	tags, err := chosenTags(in.Tag)
	if err != nil {
		return nil, "", err
	}
	areas, names := s.owned(in.Area)
	if _, err := s.find(in.Area); len(tags) > 0 && (in.Area == "" || err == nil) {
		return s.tagged(ctx, taggedList{tags, in.Area, in.Status}, in.Caller, in.Limit, in.Cursor)
	}
	if len(areas) == 0 {
		return nil, "", web.Invalid(web.FieldError{Field: "query.area", Message: "must be one of " + strings.Join(names, ", ")})
	}
	page, next, err := list{areas, in.Area, in.Status}.page(ctx, in.Caller.Owner, in.Limit, in.Cursor)
	if err != nil {
		return nil, "", err
	}
	items = web.Views(page, func(e entry) itemSummary { return view(e.area, e.Item) })
	return items, next, s.withTags(ctx, in.Caller.Owner, items)
}

type getInput struct {
	web.CallerParam
	Area string `path:"area" maxLength:"64" example:"textfile" doc:"the area of the item: textfile, feed, photojob or library"`
	ID   string `path:"id" maxLength:"256" doc:"id in the area"`
	Link string `query:"link" maxLength:"200" doc:"the token of a share link of the library"`
}

type getOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         itemSummary
}

func (s *Service) get(ctx context.Context, in *getInput) (*getOutput, error) {
	area, err := s.find(in.Area)
	if err != nil {
		return nil, err
	}
	i, err := area.Item(ctx, in.ID, Reader{in.Caller, in.Link})
	if errors.Is(err, lifecycle.ErrNotFound) {
		return nil, missing()
	}
	if err != nil {
		return nil, err
	}
	shown := []itemSummary{view(area.name, i)}
	if err := s.withTags(ctx, in.Caller.Owner, shown); err != nil {
		return nil, err
	}
	return &getOutput{CacheControl: "no-store", Body: shown[0]}, nil
}

// missing returns the problem for an item that does not exist, or that the caller may not see.
func missing() error { return web.NotFound("The area has no item with this id.") }

// find returns the area with a name, or a problem.
func (s *Service) find(name string) (named, error) {
	if i := slices.IndexFunc(s.areas, func(a named) bool { return a.name == name }); i >= 0 {
		return s.areas[i], nil
	}
	return named{}, web.NotFound("There is no area with this name.")
}

// forEveryone returns a problem unless everyone may see the item that a request names.
func (s *Service) forEveryone(r *http.Request) error {
	area, err := s.find(r.PathValue("area"))
	if err != nil {
		return err
	}
	if open, ok := area.Area.(Open); ok {
		return open.ForEveryone(r)
	}
	return missing()
}
