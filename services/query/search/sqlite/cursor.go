package sqlite

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

// scope returns a digest of the query that a cursor belongs to.
func scope(asked ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%q", asked) // never fails
	return h.Sum64()
}

func (c cursor) String() string {
	text, err := json.Marshal(c)
	if err != nil { // never happens: c contains only numbers and strings
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// values returns the sort values of a cursor and the key of its item, or nil if the cursor is empty. It
// returns search.ErrCursor unless the cursor has the given scope and number of values.
func values(text string, scope uint64, want int) ([]any, error) {
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
	id, err := keyOf(c.ID)
	if err != nil {
		return nil, search.ErrCursor
	}
	return append(c.Values, []byte(id)), nil
}
