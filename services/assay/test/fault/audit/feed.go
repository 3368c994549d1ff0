package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

func feedItems(cfg setup.Config, stores *backend.Connections) reader {
	return reader{feedReader{cfg.Feed, stores}.read, feed.TextKey}
}

// feedReader reads the tables in cfg. If cfg names no dashboard table, the dashboard is
// not checked.
type feedReader struct {
	cfg    feed.Config
	stores *backend.Connections
}

func (r feedReader) read(ctx context.Context) (map[string]*held, error) {
	bytes, err := keys(ctx, r.stores.Bucket, feed.ObjectPrefix)
	if err != nil {
		return nil, err
	}
	// The rows are read first: otherwise the row of an item that is created meanwhile
	// would appear to be an orphan.
	rows, err := r.dashboard(ctx)
	if err != nil {
		return nil, err
	}
	items := map[string]*held{}
	err = scan(ctx, r.stores.DB, r.cfg.Primary, func(attributes map[string]types.AttributeValue) error {
		item, err := feed.Parse(attributes)
		if err != nil {
			return err
		}
		if before := items[item.SourceID]; before != nil {
			before.twice = append(before.twice, "it has another row, ingested at "+item.IngestedAt)
			return nil
		}
		at, err := item.Analyzed()
		if err != nil {
			return fmt.Errorf("parse the analysis time of %s: %w", item.SourceID, err)
		}
		one := &held{
			exists: true, state: item.Status, final: feed.Machine().IsFinal(item.Status), ended: at,
			result: item.Sentiment, bytes: bytes[feed.TextKey(item.SourceID)],
		}
		items[item.SourceID] = one
		delete(bytes, feed.TextKey(item.SourceID))
		if !one.final || r.cfg.Dashboard == "" {
			return nil
		}
		want, err := dashboard.Rows(item)
		if err != nil {
			return err
		}
		for _, row := range want {
			if !slices.ContainsFunc(rows[item.SourceID], func(have dashboard.Row) bool { return show(have) == show(row) }) {
				one.stuck = append(one.stuck, "the dashboard has no row "+row.SortKey)
			}
		}
		if n := len(rows[item.SourceID]); n > len(want) {
			one.twice = append(one.twice, fmt.Sprintf("the dashboard has %d rows instead of %d", n, len(want)))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for key := range bytes {
		items[key] = &held{stuck: []string{"its text exists, but the item does not"}}
	}
	for id := range rows {
		if items[id] == nil {
			items[id] = &held{twice: []string{"the dashboard lists it, but the item does not exist"}}
		}
	}
	return items, nil
}

// show formats a row for comparison. The tags of the row must be sorted.
func show(r dashboard.Row) string { return fmt.Sprintf("%+v", r) }

// dashboard returns the dashboard rows of each item, by source id.
func (r feedReader) dashboard(ctx context.Context) (map[string][]dashboard.Row, error) {
	rows := map[string][]dashboard.Row{}
	if r.cfg.Dashboard == "" {
		return rows, nil
	}
	err := scan(ctx, r.stores.DB, r.cfg.Dashboard, func(attributes map[string]types.AttributeValue) error {
		var row dashboard.Row
		if err := attributevalue.UnmarshalMap(attributes, &row); err != nil {
			return fmt.Errorf("parse a row of the dashboard: %w", err)
		}
		if row.SourceID == "" || row.Gone() {
			return nil // a counter, a stored change or a tombstone
		}
		slices.Sort(row.MatchedTags)
		rows[row.SourceID] = append(rows[row.SourceID], row)
		return nil
	})
	return rows, err
}
