package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"

	"github.com/assay-project/assay/services/query/search"
)

// cursor is the position after the last entry of a page.
type cursor struct {
	Scope  uint64 `json:"q"` // digest of the query
	Values []any  `json:"v"` // sort values of the entry
	ID     string `json:"i"`
}

// Scope returns a digest of the query that a cursor belongs to.
func Scope(asked ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q", asked) // never fails
	return h.Sum64()
}

// CursorAt returns the text of a cursor after an entry of a query with a scope: its sort values, which are numbers and texts, and its id.
func CursorAt(scope uint64, values []any, id string) string {
	text, err := json.Marshal(cursor{scope, values, id})
	if err != nil { // never happens: it contains only numbers and strings
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// Values returns the sort values of a cursor and the key of its item, or nil if the cursor is empty. It
// returns search.ErrCursor unless the cursor has the given scope and number of values.
func Values(text string, scope uint64, want int) ([]any, error) {
	if text == "" {
		return nil, nil
	}
	var c cursor
	document, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(document, &c)
	}
	if err != nil || c.Scope != scope || len(c.Values) != want {
		return nil, search.ErrCursor
	}
	for _, v := range c.Values {
		switch v.(type) {
		case float64, string:
		default:
			return nil, search.ErrCursor
		}
	}
	id, err := KeyOf(c.ID)
	if err != nil {
		return nil, search.ErrCursor
	}
	return append(c.Values, []byte(id)), nil
}
