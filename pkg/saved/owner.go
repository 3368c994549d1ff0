package saved

import (
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/web"
)

// Refusals are the problems of calls without an owner.
var Refusals = web.Refusals{http.StatusBadRequest: {"owner-required"}}

// Owner returns the owner of the tags, searches and rules of a caller, or a problem if it has none.
func Owner(c web.Caller) (string, error) {
	if c.Owner == "" {
		return "", web.NewProblem(http.StatusBadRequest, "owner-required", "Tags, saved searches and rules belong to an owner. Send its id in the header "+web.OwnerHeader+".")
	}
	return c.Owner, nil
}

// Named names a search or a rule of the caller: embed it in the input of an operation.
type Named struct {
	web.CallerParam
	Name string `path:"name" pattern:"^[a-z0-9][a-z0-9-]{0,63}$" example:"budgets"`
}

// SavedSearch is a search in the HTTP API.
type SavedSearch struct {
	Name      string    `json:"name" example:"budgets"`
	Query     string    `json:"q" example:"budget tag:2026" doc:"as in GET /v1/search"`
	Areas     []string  `json:"areas" nullable:"false" doc:"the areas that are searched; empty for all"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"when the search was last saved"`
}

// View returns a search in the shape of the HTTP API.
func (s Search) View() SavedSearch {
	return SavedSearch{s.Name, s.Query, append([]string{}, s.Areas...), s.CreatedAt, s.UpdatedAt}
}
