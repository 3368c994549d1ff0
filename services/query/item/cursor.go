package item

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/assay-project/assay/pkg/table"
)

// cursor is where a list of all areas continues.
type cursor struct {
	Area   string `json:"a,omitempty"` // the filters of the list
	Status Status `json:"s,omitempty"`
	Before int64  `json:"b,omitempty"` // Listed.At of the last item that was returned, in epoch milliseconds; 0 if none was
	// Lists has the cursor of the list of each area, empty for its beginning. Areas whose lists have ended are missing.
	Lists map[string]string `json:"l"`
}

// parseCursor decodes the cursor of a list. It returns the beginning of the list for empty text, and table.ErrCursor for a
// cursor of another list. The cursors of the areas are checked when they are used.
func (l list) parseCursor(text string) (cursor, error) {
	c := cursor{Area: l.area, Status: l.status, Lists: map[string]string{}}
	if text == "" {
		for _, a := range l.areas {
			c.Lists[a.name] = ""
		}
		return c, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return cursor{}, table.ErrCursor
	}
	var given cursor
	if json.Unmarshal(data, &given) != nil || given.Area != c.Area || given.Status != c.Status || len(given.Lists) == 0 {
		return cursor{}, table.ErrCursor
	}
	return given, nil
}

func (c cursor) before() time.Time {
	if c.Before == 0 {
		return time.Time{}
	}
	return time.UnixMilli(c.Before)
}

// next returns the cursor after a page, or "" if the lists of all areas have ended.
func (c cursor) next(page []entry, sources []*source) (string, error) {
	c.Lists = map[string]string{}
	for _, s := range sources {
		if !s.empty() {
			c.Lists[s.name] = s.from
		}
	}
	if len(c.Lists) == 0 {
		return "", nil
	}
	if n := len(page); n > 0 {
		c.Before = page[n-1].At.UnixMilli()
	}
	data, err := json.Marshal(c)
	return base64.RawURLEncoding.EncodeToString(data), err
}
