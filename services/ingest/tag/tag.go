// Package tag serves the calls by which callers tag the items of all areas that they may see.
package tag

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/web"
)

// Area is an area whose items can be tagged.
type Area interface {
	// Visible returns nil if a caller may see an item, by the rules of the calls that read it. It returns lifecycle.ErrNotFound
	// for all other ids. UUIDs are in lower case.
	Visible(ctx context.Context, c web.Caller, id string) error
}

// Service tags items. It is safe for concurrent use.
type Service struct {
	tags  *saved.Tags
	areas map[string]Area
}

// New returns a service without areas.
func New(tags *saved.Tags) *Service { return &Service{tags, map[string]Area{}} }

// Add adds an area. It must be called before requests.
func (s *Service) Add(name string, a Area) { s.areas[name] = a }

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	const group, path = "tags", "/v1/items/{area}/{id}/tags/{tag}"
	web.Register(r, huma.Operation{
		OperationID: "tag-item", Method: http.MethodPut, Path: path, Tags: []string{group}, Summary: "Tag an item",
		Description: "Only the caller sees the tag. It can tag every item that GET /v1/items/{area}/{id} returns to it without a share link, also those of other owners: " +
			"at most 20 tags for an item, and 10,000 items. Without an effect if the item has the tag, whatever its case.",
		DefaultStatus: http.StatusNoContent,
	}, s.put, saved.Refusals, web.Refusals{http.StatusConflict: {"too-many-tags", "too-many-tagged-items"}, http.StatusNotFound: {"not-found"}})
	web.Register(r, huma.Operation{
		OperationID: "untag-item", Method: http.MethodDelete, Path: path, Tags: []string{group}, Summary: "Remove a tag from an item",
		Description: "Succeeds if the item does not have the tag, or does not exist any more.", DefaultStatus: http.StatusNoContent,
	}, s.delete, saved.Refusals, web.Refusals{http.StatusNotFound: {"not-found"}})
}

// Target names a tag of an item: embed it in the input of an operation.
type Target struct {
	web.CallerParam
	Area string `path:"area" maxLength:"64" example:"textfile" doc:"the area of the item: textfile, feed, photojob or library"`
	ID   string `path:"id" maxLength:"256" doc:"id in the area"`
	Tag  string `path:"tag" maxLength:"400" example:"budget" doc:"1 to 50 characters, at least one of which is visible, without control characters. Leading and trailing spaces are removed, and consecutive spaces are collapsed. Tags that differ only in case are the same"`
}

// read returns the owner, the item and the tag that a request names, or a problem.
func (s *Service) read(t Target) (owner string, i saved.Item, given string, err error) {
	if owner, err = saved.Owner(t.Caller); err != nil {
		return "", i, "", err
	}
	if s.areas[t.Area] == nil {
		return "", i, "", web.NotFound("There is no area with this name.")
	}
	given, wrong := tag.Parse(t.Tag)
	if wrong != "" {
		return "", i, "", web.Invalid(web.FieldError{Field: "path.tag", Message: wrong})
	}
	i = saved.Item{Area: t.Area, ID: t.ID}
	if id, err := uuid.Parse(t.ID); err == nil {
		i.ID = id.String()
	}
	return owner, i, given, nil
}

type putInput struct{ Target }

func (s *Service) put(ctx context.Context, in *putInput) (*struct{}, error) {
	owner, i, given, err := s.read(in.Target)
	if err != nil {
		return nil, err
	}
	err = s.areas[i.Area].Visible(ctx, in.Caller, i.ID)
	if err == nil {
		err = s.tags.Add(ctx, owner, i, given)
	}
	switch {
	case errors.Is(err, lifecycle.ErrNotFound):
		return nil, web.NotFound("The area has no item with this id.")
	case errors.Is(err, saved.ErrTags):
		return nil, web.NewProblem(http.StatusConflict, "too-many-tags", "The item has "+strconv.Itoa(saved.MaxTags)+" tags, the maximum. Remove one first.")
	case errors.Is(err, saved.ErrTagged):
		return nil, web.NewProblem(http.StatusConflict, "too-many-tagged-items", "You have tagged "+strconv.Itoa(saved.MaxTagged)+" items, the maximum. Remove all tags from one first.")
	}
	return nil, err
}

type deleteInput struct{ Target }

func (s *Service) delete(ctx context.Context, in *deleteInput) (*struct{}, error) {
	owner, i, given, err := s.read(in.Target)
	if err != nil {
		return nil, err
	}
	return nil, s.tags.Remove(ctx, owner, i, given)
}
