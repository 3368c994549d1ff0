// Package saved stores, in the table assay-platform, what owners keep about items of all areas: tags, searches and rules, the
// searches that an item has matched, and what rules have done with it.
//
// A tag belongs to the owner who gave it, also on an item of another owner. The tags of an owner on one item are one row: a map
// from the folded tag (package tag) to the tag as it was first given. Another row counts the owner's tagged items.
package saved

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// Limits of tags.
const (
	MaxTags   = 20     // of an owner on one item
	MaxTagged = 10_000 // items with tags of an owner
)

var (
	// ErrTags means that the item has MaxTags tags of the owner.
	ErrTags = errors.New("the item has too many tags")
	// ErrTagged means that MaxTagged items have tags of the owner.
	ErrTagged = errors.New("the owner has too many tagged items")
)

// Item names an item of an area.
type Item struct {
	Area string `json:"area" example:"library"`
	ID   string `json:"id"`
}

// sortKey returns the sort key of the row of an item. Names of areas contain no number sign.
func (i Item) sortKey() string { return i.Area + "#" + i.ID }

// Tagged is an item with the tags that an owner gave it.
type Tagged struct {
	Item
	Tags map[string]string // by folded tag: the tag as it was first given; at least one
	At   time.Time         // when the owner tagged the item for the first time
}

// Names returns the tags as they were given, sorted by their folded form.
func (t Tagged) Names() []string {
	names := make([]string, 0, len(t.Tags))
	for _, folded := range slices.Sorted(maps.Keys(t.Tags)) {
		names = append(names, t.Tags[folded])
	}
	return names
}

// Has reports whether the item has all of the folded tags.
func (t Tagged) Has(folded ...string) bool {
	return !slices.ContainsFunc(folded, func(one string) bool { _, has := t.Tags[one]; return !has })
}

// Tags stores tags. It is safe for concurrent use.
type Tags struct {
	db                 *dynamodb.Client
	table              string
	documents          *platform.Store
	maxTags, maxTagged int
	registered         sync.Map // owners in the list of those with tags
}

// NewTags returns the tags in the platform table.
func NewTags(db *dynamodb.Client, cfg platform.Config) *Tags {
	return &Tags{db: db, table: cfg.Table, documents: platform.NewStore(db, cfg), maxTags: MaxTags, maxTagged: MaxTagged}
}

// row is a row as it is stored.
type row struct {
	SortKey   string            `dynamodbav:"SK"`
	Tags      map[string]string `dynamodbav:"tags"`
	CreatedAt int64             `dynamodbav:"createdAt"` // epoch milliseconds
	UpdatedAt int64             `dynamodbav:"updatedAt"` // epoch milliseconds
	MissingAt int64             `dynamodbav:"missingAt"` // epoch milliseconds; see Swept
	Format    int64             `dynamodbav:"formatVersion"`
}

func (r row) item() Item {
	area, id, _ := strings.Cut(r.SortKey, "#")
	return Item{area, id}
}

// tagged returns the item of a row. ok is false for a row of another kind or of a newer format.
func (r row) tagged() (t Tagged, ok bool) {
	t = Tagged{r.item(), r.Tags, time.UnixMilli(r.CreatedAt).UTC()}
	return t, t.ID != "" && r.Format <= platform.Format && len(r.Tags) > 0
}

// List reads the tagged items of an owner, or those of one area unless that is empty, with strong consistency, by area and id.
func (s *Tags) List(ctx context.Context, owner, area string) ([]Tagged, error) {
	in := &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("PK = :owner"),
		ExpressionAttributeValues: table.Key{":owner": table.Text(platform.Tags + owner)},
	}
	if area != "" {
		in.KeyConditionExpression = aws.String("PK = :owner AND begins_with(SK, :area)")
		in.ExpressionAttributeValues[":area"] = table.Text(Item{Area: area}.sortKey())
	}
	var all []Tagged
	for pages := dynamodb.NewQueryPaginator(s.db, in); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list tags: %w", err)
		}
		var rows []row
		if err := attributevalue.UnmarshalListOfMaps(page.Items, &rows); err != nil {
			return nil, fmt.Errorf("list tags: %w", err)
		}
		for _, r := range rows {
			if t, ok := r.tagged(); ok {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// Of reads the tags of an owner on items, with strong consistency. Items without tags are missing in the result.
func (s *Tags) Of(ctx context.Context, owner string, items ...Item) (map[Item]Tagged, error) {
	all := map[Item]Tagged{}
	if owner == "" || len(items) == 0 {
		return all, nil
	}
	keys := make([]table.Key, len(items))
	for i, one := range items {
		keys[i] = platform.Key(platform.Tags+owner, one.sortKey())
	}
	err := table.GetAll(ctx, s.db, table.Get{Table: s.table, Keys: keys, Consistent: true}, func(item table.Key) error {
		var r row
		if err := attributevalue.UnmarshalMap(item, &r); err != nil {
			return err
		}
		if t, ok := r.tagged(); ok {
			all[t.Item] = t
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	return all, nil
}
