package library

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/pkg/web"
)

// A matching is the number of records that a filter selects, and of those that it cannot find.
type matching struct {
	exact      *int
	atLeast    int
	incomplete map[string]int // see records.File.Incomplete
}

// recordPage returns the page of records that the input selects, its number of matching records, and the cursor of the next page. The
// error may be an HTTP problem.
func (a *Area) recordPage(ctx context.Context, f *recordFile, in *recordsInput) (_ []records.Record, m matching, next string, err error) {
	q := records.Query{From: in.From, Limit: in.Limit}
	if q.Filter, err = f.filter(in.Filter); err != nil {
		return nil, m, "", err
	}
	order, err := f.order(in.Sort)
	if err != nil {
		return nil, m, "", err
	}
	if in.Fields != "" {
		chosen, err := f.selected(in.Fields, "")
		if err != nil {
			return nil, m, "", err
		}
		q.Columns = []records.Column{}
		for _, c := range chosen {
			q.Columns = append(q.Columns, c.Column)
		}
	}
	m.incomplete = f.records.Incomplete(q.Filter, q.Columns)
	key := selected{f.id, f.run, strings.TrimSpace(in.Filter), strings.TrimSpace(in.Sort)}
	at := in.From
	if in.Cursor != "" {
		if at, err = f.at(in.Cursor, key); err != nil || in.From > 0 {
			return nil, m, "", web.InvalidCursor()
		}
	}
	if order != nil && in.From > 0 {
		return nil, m, "", web.Invalid(web.FieldError{Field: "query.from", Message: "cannot be combined with sort; use the cursor"})
	}
	q.From = at
	if q.Filter == nil && order == nil {
		page, err := f.records.Page(ctx, q)
		m.exact = &f.records.Total
		return page.Records, m, f.after(page.Next, key), err
	}
	limit := countingTime
	if order != nil {
		limit = sortingTime
	}
	indexes, err := a.selections.get(ctx, f, q.Filter, order, key, limit)
	switch {
	case errors.Is(err, errSlow) && order == nil:
		page, err := f.records.Page(ctx, q)
		m.atLeast = len(page.Records)
		if page.Next >= 0 {
			m.atLeast++
		}
		return page.Records, m, f.after(page.Next, key), err
	case errors.Is(err, errSlow):
		return nil, m, "", web.Invalid(web.FieldError{Field: "query.sort", Message: "the file is too large to be sorted in time; filter it, or try again later"})
	case err != nil:
		return nil, m, "", err
	}
	if order == nil {
		at, _ = slices.BinarySearch(indexes, int32(min(at, f.records.Total)))
	}
	from := min(at, len(indexes))
	to := min(from+q.Length(), len(indexes))
	chosen := make([]int, 0, to-from)
	for _, index := range indexes[from:to] {
		chosen = append(chosen, int(index))
	}
	found, err := f.records.Read(ctx, chosen, q)
	n := len(indexes)
	m.exact = &n
	switch {
	case to == len(indexes):
		return found, m, "", err
	case order == nil:
		to = int(indexes[to])
	}
	return found, m, f.after(to, key), err
}

// order parses a list of sort criteria. It returns nil for an empty list and an HTTP problem for an invalid one.
func (f *recordFile) order(list string) ([]records.Sort, error) {
	names, err := listed(list)
	var order []records.Sort
	if err == nil {
		order, err = records.ParseSort(names, f.overview.Columns)
	}
	if err == nil && len(order) > records.MaxSorts {
		err = fmt.Errorf("more than %d fields", records.MaxSorts)
	}
	if err != nil {
		return nil, web.Invalid(web.FieldError{Field: "query.sort", Message: err.Error()})
	}
	return order, nil
}

// after returns the cursor of the page at a position of the list that key selects, or "" if the position is negative. It is
// valid for one run of the file. The position is the index of a record, unless the list is sorted.
func (f *recordFile) after(position int, key selected) string {
	if position < 0 {
		return ""
	}
	text := fmt.Appendf(nil, "r%d.%d", f.run, position)
	if key.sort != "" {
		text = fmt.Appendf(nil, "s%d.%d.%08x", f.run, position, crc32.ChecksumIEEE([]byte(key.filter+"\x00"+key.sort)))
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// at returns the position of a cursor.
func (f *recordFile) at(cursor string, key selected) (position int, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, err
	}
	var kind rune
	var run int64
	if _, err := fmt.Sscanf(string(text), "%c%d.%d", &kind, &run, &position); err != nil {
		return 0, err
	}
	if run != f.run || position < 0 || f.after(position, key) != cursor {
		return 0, errors.New("the cursor belongs to another file, run or order")
	}
	return position, nil
}
