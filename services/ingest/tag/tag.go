// Package tag serves the calls by which callers tag the items of all areas that they may see.
package tag

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
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
	bus   *bus.Bus
	areas map[string]Area
}

// New returns a service without areas.
func New(tags *saved.Tags, b *bus.Bus) *Service { return &Service{tags, b, map[string]Area{}} }

// Add adds an area. It must be called before requests.
func (s *Service) Add(name string, a Area) { s.areas[name] = a }

// Routes registers the calls.
func (s *Service) Routes(r *web.Router) {
	const group, path = "tags", "/v1/items/{area}/{id}/tags/{tag}"
	web.Register(r, huma.Operation{
		OperationID: "tag-item", Method: http.MethodPut, Path: path, Tags: []string{group}, Summary: "Tag an item",
		Description: "Only the caller sees the tag. It can tag every item that GET /v1/items/{area}/{id} returns to it without a share link, also those of other owners: " +
			"at most 20 tags for an item, and 10,000 items. Without an effect on the item if the item has the tag, whatever its case.",
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

// read returns the item and the tag that a request names, or a problem.
func (s *Service) read(t Target) (i saved.Item, given string, err error) {
	if _, err = saved.Owner(t.Caller); err != nil {
		return i, "", err
	}
	if s.areas[t.Area] == nil {
		return i, "", web.NotFound("There is no area with this name.")
	}
	given, wrong := tag.Parse(t.Tag)
	if wrong != "" {
		return i, "", web.Invalid(web.FieldError{Field: "path.tag", Message: wrong})
	}
	i = saved.Item{Area: t.Area, ID: t.ID}
	if id, err := uuid.Parse(t.ID); err == nil {
		i.ID = id.String()
	}
	return i, given, nil
}

type putInput struct{ Target }

func (s *Service) put(ctx context.Context, in *putInput) (*struct{}, error) {
	i, given, err := s.read(in.Target)
	if err != nil {
		return nil, err
	}
	return nil, s.Tag(ctx, in.Caller, i, given)
}

// Tag gives an item a tag of the caller, in the form that tag.Parse returns, and publishes the change. It returns a problem if the
// caller may not see the item, or has too many tags. It publishes even if the item has the tag, because an earlier call may have
// ended before it did.
func (s *Service) Tag(ctx context.Context, c web.Caller, i saved.Item, given string) error {
	err := s.areas[i.Area].Visible(ctx, c, i.ID)
	if err == nil {
		err = s.tags.Add(ctx, c.Owner, i, given)
	}
	switch {
	case err == nil:
		return s.publish(ctx, c.Owner, i, &event.TagsChanged{Added: []string{given}})
	case errors.Is(err, lifecycle.ErrNotFound):
		return web.NotFound("The area has no item with this id.")
	case errors.Is(err, saved.ErrTags):
		return web.NewProblem(http.StatusConflict, "too-many-tags", "The item has "+strconv.Itoa(saved.MaxTags)+" tags, the maximum. Remove one first.")
	case errors.Is(err, saved.ErrTagged):
		return web.NewProblem(http.StatusConflict, "too-many-tagged-items", "You have tagged "+strconv.Itoa(saved.MaxTagged)+" items, the maximum. Remove all tags from one first.")
	}
	return err
}

// Untag takes a tag of the caller from an item, and publishes the change like Tag.
func (s *Service) Untag(ctx context.Context, c web.Caller, i saved.Item, given string) error {
	if err := s.tags.Remove(ctx, c.Owner, i, given); err != nil {
		return err
	}
	return s.publish(ctx, c.Owner, i, &event.TagsChanged{Removed: []string{given}})
}

func (s *Service) publish(ctx context.Context, owner string, i saved.Item, d *event.TagsChanged) error {
	d.Area, d.Id, d.OwnerId, d.ChangedAt = i.Area, i.ID, owner, timestamppb.New(time.Now().Truncate(time.Millisecond))
	return s.bus.Publish(ctx, saved.NewTagsChanged(d))
}

type deleteInput struct{ Target }

func (s *Service) delete(ctx context.Context, in *deleteInput) (*struct{}, error) {
	i, given, err := s.read(in.Target)
	if err != nil {
		return nil, err
	}
	return nil, s.Untag(ctx, in.Caller, i, given)
}
