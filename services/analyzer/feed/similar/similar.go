// Package similar finds earlier feed items with nearly the same text, such as the same story of other outlets.
//
// The platform table has a row for each band of a sketch, with the items whose sketches have that band. Rows expire. The
// index is best-effort: an item is compared with those that were analyzed before it, and a row that is full starts again.
package similar

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/extract/similarity"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

const (
	// Window is the time for which an item can be found after its analysis.
	Window = 3 * 24 * time.Hour

	maxEntries  = 64 // in a row
	entriesName = "entries"
)

// Index finds items by their texts. It is safe for concurrent use.
type Index struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

// New returns an index in the platform table.
func New(db *dynamodb.Client, cfg platform.Config) *Index {
	return &Index{db: db, table: cfg.Table, now: time.Now}
}

// entry is an item in a row.
type entry struct {
	ingestedAt, sourceID string
	sketch               similarity.Sketch
}

func (e entry) String() string { return e.ingestedAt + " " + e.sourceID + " " + e.sketch.String() }

// before orders entries by time, then by id.
func (e entry) before(other entry) bool {
	return e.ingestedAt < other.ingestedAt || e.ingestedAt == other.ingestedAt && e.sourceID < other.sourceID
}

func parseEntry(text string) (e entry, err error) {
	parts := strings.Split(text, " ")
	if len(parts) != 3 {
		return entry{}, fmt.Errorf("%q is not an entry of an item", text)
	}
	e.ingestedAt, e.sourceID = parts[0], parts[1]
	e.sketch, err = similarity.Parse(parts[2])
	return e, err
}

// Add adds an item with its text and returns the id of the earliest item that was ingested before it and has nearly the same
// text, or "" if there is none. Adding an item again returns the same or an earlier one. The found item may have been
// deleted.
func (x *Index) Add(ctx context.Context, i feed.Item, text string) (sourceID string, err error) {
	sketch, ok := similarity.Of(text)
	if !ok {
		return "", nil
	}
	added := entry{i.IngestedAt, i.SourceID, sketch}
	first := added
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	for _, band := range sketch.Bands() {
		group.Go(func() error {
			entries, err := x.add(ctx, band, added)
			mu.Lock()
			defer mu.Unlock()
			for _, e := range entries {
				if e.before(first) && e.sourceID != i.SourceID && e.sketch.Resemblance(sketch) >= similarity.Nearly {
					first = e
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil || first == added {
		return "", err
	}
	return first.sourceID, nil
}

// add adds an entry to the row of a band and returns all of its entries.
func (x *Index) add(ctx context.Context, band string, added entry) ([]entry, error) {
	in := &dynamodb.UpdateItemInput{
		TableName: &x.table, Key: platform.Key(platform.FeedSimilar+band, band), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression:    aws.String("SET " + platform.ExpiresAt + " = :expires ADD " + entriesName + " :added"),
		ConditionExpression: aws.String("attribute_not_exists(" + entriesName + ") OR size(" + entriesName + ") < :most"),
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":added": &types.AttributeValueMemberSS{Value: []string{added.String()}}, ":most": table.Integer(maxEntries),
			":expires": table.Integer(x.now().Add(Window).Unix()),
		},
	}
	out, err := x.db.UpdateItem(ctx, in)
	if _, full := errors.AsType[*types.ConditionalCheckFailedException](err); full {
		in.UpdateExpression = aws.String("SET " + platform.ExpiresAt + " = :expires, " + entriesName + " = :added")
		in.ConditionExpression = nil
		delete(in.ExpressionAttributeValues, ":most")
		out, err = x.db.UpdateItem(ctx, in)
	}
	if err != nil {
		return nil, fmt.Errorf("add %s to the index of similar items: %w", added.sourceID, err)
	}
	set, ok := out.Attributes[entriesName].(*types.AttributeValueMemberSS)
	if !ok {
		return nil, fmt.Errorf("the row of the band %s has no entries", band)
	}
	entries := make([]entry, 0, len(set.Value))
	for _, text := range set.Value {
		e, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("read the row of the band %s: %w", band, err)
		}
		entries = append(entries, e)
	}
	return entries, nil
}
