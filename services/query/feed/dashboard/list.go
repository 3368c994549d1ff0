package dashboard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/table"

	"github.com/assay-project/assay/pkg/feed"
)

// Listing selects a page of the analyzed items in a window.
type Listing struct {
	Hours      int       // as in Query
	From, To   time.Time // as in Query
	SourceType string    // empty lists all source types
	Sentiment  string    // empty lists all sentiments, newest first; otherwise the highest score first
	Tag        string    // empty lists items regardless of their tags
	Limit      int       // maximum number of items on the page, at least 1
	Cursor     string    // NextCursor of the previous page; empty for the first
}

// Page is one page of a list. NextCursor is empty on the last page.
type Page struct {
	Rows       []Row
	NextCursor string
}

// positionName is the only field of a cursor: the sort key at which the page ended.
// Sort keys of a list are unique, so the next page starts below it in any partition.
const positionName = "position"

// List reads a page with eventual consistency. It returns table.ErrCursor if the
// cursor belongs to another list; it can also return ErrWindow and ErrTooMany.
func (d *Dashboard) List(ctx context.Context, l Listing) (Page, error) {
	l.Tag = feed.FoldTag(l.Tag)
	scope := "feed/" + l.Sentiment + "/" + l.Tag + "/" + l.SourceType
	start, err := table.ParseCursor(scope, l.Cursor)
	if err != nil {
		return Page{}, err
	}
	position := ""
	if start != nil {
		text, ok := start[positionName].(*types.AttributeValueMemberS)
		if !ok || len(start) != 1 || text.Value == "" {
			return Page{}, table.ErrCursor
		}
		position = text.Value
	}
	if l.Sentiment != "" && position != "" && !strings.HasPrefix(position, ranking(l.Sentiment, l.Tag)) {
		return Page{}, table.ErrCursor
	}
	// An additional row shows whether there is a next page.
	rows, err := d.list(ctx, l, position, l.Limit+1)
	if err != nil || len(rows) <= l.Limit {
		return Page{Rows: rows}, err
	}
	rows = rows[:l.Limit]
	last := rows[l.Limit-1].SortKey
	if l.Sentiment != "" {
		last = rows[l.Limit-1].SentimentScore
	}
	next, err := table.Cursor(scope, table.Key{positionName: &types.AttributeValueMemberS{Value: last}})
	return Page{Rows: rows, NextCursor: next}, err
}

func (d *Dashboard) list(ctx context.Context, l Listing, position string, most int) ([]Row, error) {
	w, err := d.window(Query{Hours: l.Hours, From: l.From, To: l.To})
	if err != nil {
		return nil, err
	}
	switch {
	case w.expired:
		return nil, ErrExpired
	case l.Sentiment != "":
		return d.byScore(ctx, w, l, position, most)
	case l.Tag != "":
		return d.newest(ctx, []span{w.tagged(l.Tag)}, l.SourceType, position, most)
	}
	return d.newest(ctx, w.spans(), l.SourceType, position, most)
}

// newest reads the rows of spans, newest first. The spans must be in this order.
func (d *Dashboard) newest(ctx context.Context, spans []span, sourceType, position string, most int) ([]Row, error) {
	var rows []Row
	budget := newBudget()
	for _, s := range spans {
		if sourceType != "" {
			s = s.filtered(sourceType, "", budget)
		}
		if position != "" {
			s.to = position
		}
		if s.to < s.from || s.sort == feed.AttrIngestedAt && s.index == "" && s.to < s.in {
			continue // the day is newer than the position
		}
		if sourceType == "" {
			s.pageSize = int32(min(most-len(rows)+1, 1000)) // plus the row at the position
		}
		err := d.each(ctx, s, func(row Row) bool {
			if row.SortKey != position && !row.Gone() {
				rows = append(rows, row)
			}
			return len(rows) < most
		})
		if err != nil || len(rows) == most {
			return rows, err
		}
	}
	return rows, nil
}

// lastStretch is the maximum length of the part of a window's first day that is read
// by time instead of by score: a read by score would discard most of the day.
const lastStretch = 20 * time.Minute

// byScore merges the days, highest score first. It reads a few rows of each day, and more rows of a
// day if all of its rows are among the best.
func (d *Dashboard) byScore(ctx context.Context, w window, l Listing, position string, most int) ([]Row, error) {
	days := w.ranked(l, position)
	step := max(2*most/len(days), 10)
	for {
		group, ctx := errgroup.WithContext(ctx)
		for _, r := range days {
			if r.wanted {
				group.Go(func() error { return r.read(ctx, d, step) })
			}
		}
		if err := group.Wait(); err != nil {
			return nil, fmt.Errorf("list by score: %w", err)
		}
		var best []Row
		for _, r := range days {
			best = append(best, r.rows...)
		}
		slices.SortFunc(best, func(a, b Row) int { return cmp.Compare(b.SentimentScore, a.SentimentScore) })
		worst := ""
		if len(best) >= most {
			best = best[:most]
			worst = best[most-1].SentimentScore
		}
		again := false
		for _, r := range days {
			r.wanted = !r.complete && r.to >= worst
			again = again || r.wanted
		}
		if !again {
			return best, nil
		}
	}
}

// ranked reads the rows of a sentiment, or of a sentiment and a tag, of one day.
type ranked struct {
	span
	position string // the next rows are below it
	rows     []Row
	wanted   bool    // more rows are needed
	complete bool    // all rows are read
	share    float64 // estimated share of the day's rows that are in the window
}

// ranked returns a reader for each day of a window, newest first.
func (w window) ranked(l Listing, position string) []*ranked {
	rank := ranking(l.Sentiment, l.Tag)
	var all []*ranked
	budget := newBudget()
	days := w.days()
	for i, day := range days {
		s := span{index: feed.IndexBySentiment, partition: feed.AttrDayPartition, sort: feed.AttrSentimentScore, in: day, from: rank, to: cmp.Or(position, rank+atEnd)}
		if l.Tag != "" {
			s.in += tagPartition
		}
		switch {
		case w.ends:
			filter := expression.Name(feed.AttrIngestedAt).Between(expression.Value(w.since()), expression.Value(w.last()))
			s.filter = &filter
		case i == len(days)-1: // only partly in the window
			s = w.lastDay(s, l)
		}
		if l.SourceType != "" {
			s = s.filtered(l.SourceType, "", budget)
		}
		r := &ranked{span: s, position: cmp.Or(position, rank+atEnd), wanted: true, share: 1}
		if s.filter != nil && !w.ends {
			r.share = w.left().Hours() / 24
		}
		all = append(all, r)
	}
	return all
}

// read reads up to limit further rows, or all rows if the span is not sorted by score.
func (r *ranked) read(ctx context.Context, d *Dashboard, limit int) error {
	if r.index == feed.IndexBySentiment {
		r.pageSize = int32(min(float64(limit)/r.share+1, 1000)) // plus the row at the position
	}
	n := 0
	r.complete = true
	return d.each(ctx, r.span, func(row Row) bool {
		if row.SentimentScore >= r.position {
			return true
		}
		r.rows = append(r.rows, row)
		if n++; n < limit || r.index != feed.IndexBySentiment {
			return true
		}
		r.position, r.to, r.complete = row.SentimentScore, row.SentimentScore, false
		return false
	})
}

// left returns the length of the part of the window's first day that is in the window.
func (w window) left() time.Duration {
	return w.from.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(w.from)
}

// lastDay restricts s, which is sorted by score, to the part of the window's first day
// that is in the window: with a filter, or, for a short part, by reading it by time.
func (w window) lastDay(s span, l Listing) span {
	if w.left() > lastStretch {
		filter := expression.Name(feed.AttrIngestedAt).GreaterThanEqual(expression.Value(w.since()))
		s.filter = &filter
		return s
	}
	spans := w.spans()
	last := spans[len(spans)-1]
	if l.Tag != "" {
		last = w.tagged(l.Tag)
		last.to = day(w.from) + atEnd
	}
	filter := expression.Name("sentiment").Equal(expression.Value(l.Sentiment))
	last.filter = &filter
	return last
}
