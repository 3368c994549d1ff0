package main

import (
	"context"
	"maps"
	"slices"
)

// maxPages bounds the number of pages of a Query or Scan.
const maxPages = 200

// pages reads all pages of a Query or Scan, including all segments of a parallel Scan, and returns one
// combined response. A Query of a table has a defined order, so its pages are compared as they are. In an
// index, items with the same key can be in any order, and the order of a Scan depends on the engine. In these
// cases, only the combined items of all pages are compared, and for an index also the order of their sort
// keys.
func (s *session) pages(ctx context.Context, c *client, r request) (response, error) {
	r = request{r.operation, maps.Clone(r.body)}
	ordered := r.operation == "Query" && r.body["IndexName"] == nil
	pages, items, order := list{}, list{}, list{}
	var count, scanned float64
	segments, parallel := r.body["TotalSegments"].(int)
	if parallel {
		r.body["Segment"] = 0
	}
	for range maxPages {
		a, err := c.send(ctx, r)
		if err != nil || !a.ok() {
			return a, err
		}
		pages = append(pages, a.body)
		page, _ := a.body["Items"].(list)
		items = append(items, page...)
		for _, item := range page {
			order = append(order, item.(object)[s.sortKey(r)])
		}
		count += number(a.body["Count"])
		scanned += number(a.body["ScannedCount"])
		if last := a.body["LastEvaluatedKey"]; last != nil {
			r.body["ExclusiveStartKey"] = last
			continue
		}
		if segment, _ := r.body["Segment"].(int); parallel && segment+1 < segments {
			delete(r.body, "ExclusiveStartKey")
			r.body["Segment"] = segment + 1
			continue
		}
		break
	}
	all := response{status: 200, body: object{"Pages": pages}}
	if !ordered {
		normalizedJSON(items)
		sortJSON(items)
		all.body = object{"Items": items, "Count": count, "ScannedCount": scanned}
		if r.operation == "Query" {
			all.body["SortKeys"] = order
		}
	}
	return all, nil
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

// sortKey returns the name of the sort key of the index that r queries, or "" if
// there is none.
func (s *session) sortKey(r request) string {
	for _, t := range s.gen.tables {
		i := slices.IndexFunc(t.indexes, func(x indexSpec) bool { return x.name == r.body["IndexName"] })
		if t.name == r.body["TableName"] && i >= 0 && len(t.indexes[i].keys) > 1 {
			return t.indexes[i].keys[1].name
		}
	}
	return ""
}
