package quota

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
)

// Item describes an item to count.
type Item struct {
	Area    string
	ID      string
	Bytes   int64 // negative if unknown
	InParts bool  // whether its upload in parts is open
}

// Use is the usage of an owner.
type Use struct {
	Bytes   int64 `dynamodbav:"bytes" json:"bytes"`
	Items   int64 `dynamodbav:"items" json:"items"`
	Uploads int64 `dynamodbav:"uploads" json:"uploads"`
}

// Usage is the usage of an owner as the API shows it.
type Usage struct {
	Use          *Use      `json:"use,omitempty" doc:"what the owner uses; absent while it is not counted: without a quota of bytes, items or uploads, and until such a quota counts the first item"`
	CountedSince time.Time `json:"countedSince,omitzero" doc:"when counting began; the next sweep adds the items from before"`
}

// Holding is the row that counts one item.
type Holding struct {
	ID      string
	Bytes   int64
	Uploads int64 // 1 while its upload in parts is open
	At      time.Time
}

// useKey is the sort key of the row with the usage. Sort keys of holdings contain a #.
const useKey = "use"

// rows accesses the rows of quotas in the platform table.
type rows struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

func partition(owner string) string { return platform.Quota + owner }

func holdingKey(owner, area, id string) table.Key {
	return platform.Key(partition(owner), area+"#"+id)
}

// reserve counts items within limits, all or none. It returns the items that were not counted before, or
// an *ExceededError.
func (r rows) reserve(ctx context.Context, owner string, limits Limits, items []Item) (made []Item, err error) {
	items = slices.Clone(items)
	for registered := false; len(items) > 0; {
		err := r.transact(ctx, r.reservation(owner, limits, items))
		canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
		if !ok || len(canceled.CancellationReasons) != len(items)+1 {
			return items, wrap("reserve for an owner", err)
		}
		reasons := canceled.CancellationReasons
		left := slices.Clone(items[:0:0])
		for i, item := range items {
			if !refused(reasons[i+1]) {
				left = append(left, item)
			}
		}
		switch counted := len(left) < len(items); {
		case counted: // counted by an earlier call
			items = left
		case !refused(reasons[0]):
			return nil, wrap("reserve for an owner", err)
		case len(reasons[0].Item) > 0:
			return nil, exceeded(limits, items, reasons[0].Item)
		case registered:
			return nil, wrap("reserve for an owner", err)
		default:
			if err := r.register(ctx, owner); err != nil {
				return nil, err
			}
			registered = true
		}
	}
	return nil, nil
}

// reservation returns the writes of reserve, starting with the update of the usage.
func (r rows) reservation(owner string, limits Limits, items []Item) []types.TransactWriteItem {
	var sum Use
	writes := make([]types.TransactWriteItem, 1, len(items)+1)
	for _, item := range items {
		h := holdingOf(item)
		sum.Bytes, sum.Items, sum.Uploads = sum.Bytes+h.Bytes, sum.Items+1, sum.Uploads+h.Uploads
		row := holdingKey(owner, item.Area, item.ID)
		row["bytes"], row["uploads"], row["at"] = table.Integer(h.Bytes), table.Integer(h.Uploads), table.Integer(r.now().Unix())
		writes = append(writes, types.TransactWriteItem{Put: &types.Put{
			TableName: &r.table, Item: row, ConditionExpression: aws.String("attribute_not_exists(PK)"),
		}})
	}
	update := r.add(owner, sum)
	conditions := []string{"attribute_exists(PK)"}
	for _, limit := range []struct {
		name        string
		most, wants int64
	}{{"bytes", limits.Bytes, bytesWanted(items, sum)}, {"items", limits.Items, sum.Items}, {"uploads", limits.Uploads, sum.Uploads}} {
		if limit.most > 0 && limit.wants > 0 {
			conditions = append(conditions, fmt.Sprintf("#%s <= :free_%s", limit.name, limit.name))
			update.ExpressionAttributeValues[":free_"+limit.name] = table.Integer(limit.most - limit.wants)
		}
	}
	update.ConditionExpression = aws.String(strings.Join(conditions, " AND "))
	update.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	writes[0] = types.TransactWriteItem{Update: update}
	return writes
}

// bytesWanted returns the number of bytes that must be free for items, at least 1 if the size of one is unknown.
func bytesWanted(items []Item, sum Use) int64 {
	unknown := slices.ContainsFunc(items, func(i Item) bool { return i.Bytes < 0 })
	if unknown {
		return max(1, sum.Bytes)
	}
	return sum.Bytes
}

func holdingOf(i Item) Holding {
	h := Holding{ID: i.ID, Bytes: max(0, i.Bytes)}
	if i.InParts {
		h.Uploads = 1
	}
	return h
}

// add returns the update that adds to the usage of an owner.
func (r rows) add(owner string, more Use) *types.Update {
	return &types.Update{
		TableName: &r.table, Key: platform.Key(partition(owner), useKey),
		UpdateExpression:         aws.String("ADD #bytes :bytes, #items :items, #uploads :uploads"),
		ExpressionAttributeNames: map[string]string{"#bytes": "bytes", "#items": "items", "#uploads": "uploads"},
		ExpressionAttributeValues: table.Key{
			":bytes": table.Integer(more.Bytes), ":items": table.Integer(more.Items), ":uploads": table.Integer(more.Uploads),
		},
	}
}

// list writes an owner to the list of owners that sweeps recount.
func (r rows) list(ctx context.Context, owner string) error {
	_, err := r.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &r.table, Item: platform.Key(platform.QuotaOwners, owner)})
	return wrap("register an owner", err)
}

// register lists an owner, and then writes a usage of zero.
func (r rows) register(ctx context.Context, owner string) error {
	if err := r.list(ctx, owner); err != nil {
		return err
	}
	use := platform.Key(partition(owner), useKey)
	use["bytes"], use["items"], use["uploads"], use["at"] = table.Integer(0), table.Integer(0), table.Integer(0), table.Integer(r.now().Unix())
	_, err := r.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &r.table, Item: use, ConditionExpression: aws.String("attribute_not_exists(PK)")})
	if _, there := errors.AsType[*types.ConditionalCheckFailedException](err); there {
		return nil
	}
	return wrap("register an owner", err)
}

// conflicts is the maximum number of attempts at a transaction that conflicts with others of the same owner, in
// addition to the retries of the SDK, and conflictPause is the maximum pause after the first attempt.
const (
	conflicts     = 12
	conflictPause = 10 * time.Millisecond
)

// transact writes atomically.
func (r rows) transact(ctx context.Context, writes []types.TransactWriteItem) error {
	for try := 1; ; try++ {
		_, err := r.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if try == conflicts || !table.CanceledFor(err, "TransactionConflict") || table.CanceledFor(err, "ConditionalCheckFailed") {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(rand.N(time.Duration(try) * conflictPause)):
		}
	}
}

// changes is the maximum number of times that a holding is reread after another writer has changed it.
const changes = 5

// change replaces the holding of an item with the result of change, or removes it if the result is nil. It
// does nothing if the item is not counted.
func (r rows) change(ctx context.Context, owner, area, id string, change func(Holding) *Holding) error {
	for range changes {
		h, there, err := r.holding(ctx, owner, area, id)
		if err != nil || !there {
			return err
		}
		to := change(h)
		if to != nil && *to == h {
			return nil
		}
		err = r.transact(ctx, r.replacement(owner, area, h, to))
		if !table.CanceledFor(err, "ConditionalCheckFailed") {
			return wrap("change the usage of an owner", err)
		}
	}
	return fmt.Errorf("quota: too many concurrent changes to the row of %s %s", area, id)
}

func (r rows) replacement(owner, area string, from Holding, to *Holding) []types.TransactWriteItem {
	const same = "#bytes = :from_bytes AND #uploads = :from_uploads"
	key, names := holdingKey(owner, area, from.ID), map[string]string{"#bytes": "bytes", "#uploads": "uploads"}
	seen := table.Key{":from_bytes": table.Integer(from.Bytes), ":from_uploads": table.Integer(from.Uploads)}
	if to == nil {
		return []types.TransactWriteItem{
			{Update: r.add(owner, Use{Bytes: -from.Bytes, Items: -1, Uploads: -from.Uploads})},
			{Delete: &types.Delete{
				TableName: &r.table, Key: key, ConditionExpression: aws.String(same), ExpressionAttributeNames: names, ExpressionAttributeValues: seen,
			}},
		}
	}
	seen[":bytes"], seen[":uploads"] = table.Integer(to.Bytes), table.Integer(to.Uploads)
	return []types.TransactWriteItem{
		{Update: r.add(owner, Use{Bytes: to.Bytes - from.Bytes, Uploads: to.Uploads - from.Uploads})},
		{Update: &types.Update{
			TableName: &r.table, Key: key, UpdateExpression: aws.String("SET #bytes = :bytes, #uploads = :uploads"),
			ConditionExpression: aws.String(same), ExpressionAttributeNames: names, ExpressionAttributeValues: seen,
		}},
	}
}

func (r rows) holding(ctx context.Context, owner, area, id string) (h Holding, there bool, err error) {
	out, err := r.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &r.table, Key: holdingKey(owner, area, id), ConsistentRead: aws.Bool(true)})
	if err != nil || out.Item == nil {
		return h, false, wrap("read the usage of an owner", err)
	}
	h, err = parse(out.Item)
	return h, err == nil, err
}

func parse(row table.Key) (Holding, error) {
	var stored struct {
		SK             string
		Bytes, Uploads int64
		At             int64
	}
	if err := attributevalue.UnmarshalMap(row, &stored); err != nil {
		return Holding{}, wrap("read the usage of an owner", err)
	}
	_, id, found := strings.Cut(stored.SK, "#")
	if !found {
		return Holding{}, fmt.Errorf("quota: %s is not the key of an item", strconv.Quote(stored.SK))
	}
	return Holding{ID: id, Bytes: stored.Bytes, Uploads: stored.Uploads, At: time.Unix(stored.At, 0)}, nil
}

// usage reads the usage of an owner with strong consistency.
func (r rows) usage(ctx context.Context, owner string) (Usage, error) {
	out, err := r.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &r.table, Key: platform.Key(partition(owner), useKey), ConsistentRead: aws.Bool(true)})
	if err != nil || out.Item == nil {
		return Usage{}, wrap("read the usage of an owner", err)
	}
	var stored struct {
		Use
		At int64
	}
	if err := attributevalue.UnmarshalMap(out.Item, &stored); err != nil {
		return Usage{}, wrap("read the usage of an owner", err)
	}
	u := Usage{Use: &stored.Use}
	if stored.At > 0 { // rows of earlier versions do not have it
		u.CountedSince = time.Unix(stored.At, 0).UTC()
	}
	return u, nil
}

func refused(reason types.CancellationReason) bool {
	return aws.ToString(reason.Code) == "ConditionalCheckFailed"
}

func wrap(what string, err error) error {
	if err != nil {
		return fmt.Errorf("quota: %s: %w", what, err)
	}
	return nil
}
