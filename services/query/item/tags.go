package item

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/tag"
	"github.com/assay-project/assay/pkg/web"
)

func (s *Service) tagRoutes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-tags", Method: http.MethodGet, Path: "/v1/tags", Tags: []string{"tags"},
		Summary: "List the caller's tags, by name", Description: "Contains the tags that the caller gave to items of all areas; GET /v1/items?tag= lists the items.",
	}, s.listTags, saved.Refusals)
}

type tagsInput struct{ web.CallerParam }

type tagsOutput struct {
	CacheControl string `header:"Cache-Control"`
	Body         itemTags
}

type itemTags struct {
	Tags []itemTag `json:"tags" nullable:"false" doc:"by name"`
}

// itemTag is a tag with the number of items that have it.
type itemTag struct {
	Tag   string `json:"tag" example:"budget" doc:"in the spelling of most items"`
	Items int    `json:"items" doc:"number of items, including those that the caller may not see any more"`
}

func (s *Service) listTags(ctx context.Context, in *tagsInput) (*tagsOutput, error) {
	owner, err := saved.Owner(in.Caller)
	if err != nil {
		return nil, err
	}
	all, err := s.tags.List(ctx, owner, "")
	if err != nil {
		return nil, err
	}
	return &tagsOutput{CacheControl: "no-store", Body: itemTags{countTags(all)}}, nil
}

// countTags returns the tags of items, sorted by their folded form. Of several spellings of a tag it returns the most frequent
// one, and of equally frequent ones the first.
func countTags(all []saved.Tagged) []itemTag {
	spellings := map[string]map[string]int{} // by folded tag
	for _, t := range all {
		for folded, given := range t.Tags {
			if spellings[folded] == nil {
				spellings[folded] = map[string]int{}
			}
			spellings[folded][given]++
		}
	}
	counts := make([]itemTag, 0, len(spellings))
	for _, by := range spellings {
		one, most := itemTag{}, 0
		for given, n := range by {
			if one.Items += n; n > most || n == most && given < one.Tag {
				one.Tag, most = given, n
			}
		}
		counts = append(counts, one)
	}
	slices.SortFunc(counts, func(a, b itemTag) int { return strings.Compare(tag.Fold(a.Tag), tag.Fold(b.Tag)) })
	return counts
}

// withTags adds the tags of an owner to items.
func (s *Service) withTags(ctx context.Context, owner string, items []itemSummary) error {
	named := make([]saved.Item, len(items))
	for i, one := range items {
		named[i] = saved.Item{Area: one.Area, ID: one.ID}
	}
	all, err := s.tags.Of(ctx, owner, named...)
	if err != nil {
		return err
	}
	for i, one := range named {
		items[i].Tags = append([]string{}, all[one].Names()...)
	}
	return nil
}

// chosenTags returns the tags that a request names, folded, without duplicates and sorted, or a problem.
func chosenTags(texts []string) ([]string, error) {
	var folded []string
	for _, text := range texts {
		one, wrong := tag.Parse(text)
		if wrong != "" {
			return nil, web.Invalid(web.FieldError{Field: "query.tag", Message: wrong})
		}
		folded = append(folded, tag.Fold(one))
	}
	slices.Sort(folded)
	return slices.Compact(folded), nil
}

// newestTagged returns the items that have all tags, those first that were tagged most recently, and those of equal time by area and id.
func newestTagged(all []saved.Tagged, folded []string) []saved.Tagged {
	all = slices.DeleteFunc(all, func(t saved.Tagged) bool { return !t.Has(folded...) })
	slices.SortFunc(all, compareTagged)
	return all
}

func compareTagged(a, b saved.Tagged) int {
	return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Area, b.Area), strings.Compare(a.ID, b.ID))
}
