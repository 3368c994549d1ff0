package feed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/table"
)

// Store reads and writes items of the primary table. It is safe for concurrent
// use.
type Store struct {
	db    *dynamodb.Client
	table string
	now   func() time.Time
}

// NewStore returns a store on the primary table.
func NewStore(db *dynamodb.Client, cfg Config) *Store {
	return &Store{db: db, table: cfg.Primary, now: time.Now}
}

// Check returns an error if the table cannot be used. It is called by readiness checks.
func (s *Store) Check(ctx context.Context) error { return table.Check(ctx, s.db, s.table) }

// Create writes a new item. If an item with the same source id and time exists, Create returns it,
// and created is false. Exactly one of several writers of a key creates the item, even if its
// response was lost and the SDK retried. The condition does not cover items with a different time, so
// all writers of a source id must first agree on the time.
func (s *Store) Create(ctx context.Context, i Item) (stored Item, created bool, err error) {
	ctx, span := obs.Start(ctx, "create feed item")
	defer func() { obs.End(span, err) }()
	i.Writer = writer(span.SpanContext())
	attributes, err := attributevalue.MarshalMap(i)
	if err != nil {
		return Item{}, false, fmt.Errorf("create %s: %w", i.SourceID, err)
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: attributes, ConditionExpression: aws.String("attribute_not_exists(source_id)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if exists, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		stored, err = parse(exists.Item)
		return stored, stored.Writer == i.Writer, err
	}
	if err != nil {
		return Item{}, false, fmt.Errorf("create %s: %w", i.SourceID, err)
	}
	return i, true, nil
}

// Get reads an item by its source id, with a strongly consistent read. It returns
// lifecycle.ErrNotFound if there is none or it has expired.
func (s *Store) Get(ctx context.Context, sourceID string) (Item, error) {
	out, err := s.db.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(1),
		KeyConditionExpression:    aws.String("source_id = :id"),
		ExpressionAttributeValues: table.Key{":id": &types.AttributeValueMemberS{Value: sourceID}},
	})
	if err != nil {
		return Item{}, fmt.Errorf("get %s: %w", sourceID, err)
	}
	if len(out.Items) == 0 {
		return Item{}, lifecycle.ErrNotFound
	}
	i, err := parse(out.Items[0])
	if err == nil && i.ExpiresAt > 0 && i.ExpiresAt <= s.now().Unix() {
		return Item{}, lifecycle.ErrNotFound // expired, but not yet removed by the table
	}
	return i, err
}

// Delete removes all rows of an item. It returns nil if the item does not exist.
func (s *Store) Delete(ctx context.Context, sourceID string) error {
	out, err := s.db.Query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("source_id = :id"),
		ExpressionAttributeValues: table.Key{":id": &types.AttributeValueMemberS{Value: sourceID}},
	})
	if err != nil {
		return fmt.Errorf("delete %s: %w", sourceID, err)
	}
	for _, row := range out.Items {
		_, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &s.table, Key: table.Key{AttrSourceID: row[AttrSourceID], AttrIngestedAt: row[AttrIngestedAt]},
		})
		if err != nil {
			return fmt.Errorf("delete %s: %w", sourceID, err)
		}
	}
	return nil
}

// Analysis is the result that Analyze stores. ModelVersion has the form v1.0.0.
type Analysis struct {
	Sentiment    string
	Score        float64 // confidence in Sentiment, 0 to 1
	Compound     float64 // -1 to 1
	ModelVersion string
	Language     string // BCP 47; empty if it was not detected
	SimilarTo    string // the id of an earlier item with nearly the same text, or ""
}

var modelVersions = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

func (a Analysis) check() error {
	switch {
	case !slices.Contains([]string{Positive, Neutral, Negative}, a.Sentiment):
		return fmt.Errorf("invalid sentiment %q", a.Sentiment)
	case !(a.Score >= 0 && a.Score <= 1):
		return fmt.Errorf("invalid score %v", a.Score)
	case !(a.Compound >= -1 && a.Compound <= 1):
		return fmt.Errorf("invalid compound score %v", a.Compound)
	case !modelVersions.MatchString(a.ModelVersion):
		return fmt.Errorf("invalid model version %q", a.ModelVersion)
	}
	return nil
}

// Analyze moves a pending item to analyzed. The URL, snippet and metadata of the item are written too;
// they must be those of the analyzed submission (see Item.Of). Analyze returns the item as written, with
// a later AnalyzedAt than before. It returns lifecycle.ErrNotFound, *lifecycle.MovedError, or
// lifecycle.ErrFenceLost if the item was analyzed since it was read. Tags that were added
// concurrently are not lost, but are missing from the returned item.
func (s *Store) Analyze(ctx context.Context, i Item, a Analysis) (Item, error) {
	if err := a.check(); err != nil {
		return Item{}, fmt.Errorf("analyze %s: %w", i.SourceID, err)
	}
	last, err := i.Analyzed()
	if err != nil {
		return Item{}, fmt.Errorf("analyze %s: %w", i.SourceID, err)
	}
	seen := i.AnalyzedAt
	now := s.now().UTC().Truncate(time.Millisecond)
	if !now.After(last) {
		now = last.Add(time.Millisecond) // this machine's clock is behind
	}
	i.Status, i.AnalyzedAt = analyze.To, now.Format(TimeLayout)
	i.Sentiment, i.Score, i.Compound, i.ModelVersion = a.Sentiment, a.Score, a.Compound, a.ModelVersion
	i.FailedAt, i.ErrorMessage, i.SimilarTo = "", "", a.SimilarTo
	if a.Language != "" {
		i.Metadata = maps.Clone(i.Metadata)
		if i.Metadata == nil {
			i.Metadata = table.Document{}
		}
		i.Metadata[metaLanguage] = a.Language
	}
	change, err := described(i)
	if err != nil {
		return Item{}, err
	}
	maps.Copy(change.Set, map[string]table.Value{
		"sentiment": table.Text(i.Sentiment), "score": table.Decimal(i.Score), "compound": table.Decimal(i.Compound),
		"model_version": table.Text(i.ModelVersion), attrAnalyzedAt: table.Text(i.AnalyzedAt),
	})
	if i.SimilarTo == "" {
		change.Remove = append(change.Remove, attrSimilarTo)
	} else {
		change.Set[attrSimilarTo] = table.Text(i.SimilarTo)
	}
	return i, s.apply(ctx, analyze, i, seen, change)
}

// Reanalyze moves an analyzed item to pending. The item keeps its result until the next analysis
// replaces it. Reanalyze returns the item as written; errors are those of Analyze.
func (s *Store) Reanalyze(ctx context.Context, i Item) (Item, error) {
	i.Status = reanalyze.To
	return i, s.apply(ctx, reanalyze, i, i.AnalyzedAt, lifecycle.Item{})
}

// GiveUp records why a pending item could not be analyzed. It returns the item as
// written; errors are those of Analyze.
func (s *Store) GiveUp(ctx context.Context, i Item, reason string) (Item, error) {
	i.FailedAt, i.ErrorMessage = s.now().UTC().Format(TimeLayout), reason
	return i, s.apply(ctx, giveUp, i, i.AnalyzedAt, lifecycle.Item{Set: map[string]table.Value{AttrFailedAt: table.Text(i.FailedAt), AttrErrorMessage: table.Text(reason)}})
}

// Retry reverts GiveUp. It returns the item as written; errors are those of Analyze.
func (s *Store) Retry(ctx context.Context, i Item) (Item, error) {
	i.FailedAt, i.ErrorMessage = "", ""
	return i, s.apply(ctx, retry, i, i.AnalyzedAt, lifecycle.Item{Remove: []string{AttrFailedAt, AttrErrorMessage}})
}

// Renew writes the URL, snippet and metadata of a pending item whose submission was lost and
// replaced, and reverts GiveUp. It returns the item as written; errors are those of Analyze.
func (s *Store) Renew(ctx context.Context, i Item) (Item, error) {
	i.FailedAt, i.ErrorMessage = "", ""
	change, err := described(i)
	if err != nil {
		return Item{}, err
	}
	return i, s.apply(ctx, retry, i, i.AnalyzedAt, change)
}

// described returns the change that sets the attributes that come from the submission, and reverts
// GiveUp. Empty values are not stored.
func described(i Item) (lifecycle.Item, error) {
	change := lifecycle.Item{Set: map[string]table.Value{}, Remove: []string{AttrFailedAt, AttrErrorMessage}}
	for name, text := range map[string]string{AttrTextSnippet: i.TextSnippet, AttrSourceURL: i.SourceURL} {
		if text == "" {
			change.Remove = append(change.Remove, name)
		} else {
			change.Set[name] = table.Text(text)
		}
	}
	if len(i.Metadata) == 0 {
		change.Remove = append(change.Remove, AttrMetadata)
		return change, nil
	}
	value, err := attributevalue.Marshal(i.Metadata)
	if err != nil {
		return lifecycle.Item{}, fmt.Errorf("marshal the metadata of %s: %w", i.SourceID, err)
	}
	change.Set[AttrMetadata] = value
	return change, nil
}

// apply makes a move of an item. analyzedAt is the AnalyzedAt of the item when it was read. If the item was deleted and
// created again since then, apply returns lifecycle.ErrNotFound.
func (s *Store) apply(ctx context.Context, move lifecycle.Move, i Item, analyzedAt string, change lifecycle.Item) error {
	change.Table, change.Key = s.table, Key(i.SourceID, i.IngestedAt)
	// A lifecycle.Fence cannot be used here, since its attribute must exist.
	change.Condition = expression.Name(attrAnalyzedAt).AttributeNotExists()
	if analyzedAt != "" {
		change.Condition = expression.Name(attrAnalyzedAt).Equal(expression.Value(analyzedAt))
	}
	same := expression.Name(attrWriter).AttributeNotExists()
	if i.Writer != "" {
		same = expression.Name(attrWriter).Equal(expression.Value(i.Writer))
	}
	change.Condition = change.Condition.And(same)
	found, err := Machine().Apply(ctx, s.db, move, lifecycle.Write{Items: []lifecycle.Item{change}})
	if errors.Is(err, lifecycle.ErrCondition) {
		if table.TextOf(found[attrWriter]) != i.Writer {
			return lifecycle.ErrNotFound
		}
		return fmt.Errorf("%s %s: %w", move.Name, i.SourceID, lifecycle.ErrFenceLost)
	}
	return err
}

// AddTags adds tags to an item in any state, up to a total of MaxTags. It returns the item as written,
// or lifecycle.ErrNotFound.
func (s *Store) AddTags(ctx context.Context, i Item, tags []string) (Item, error) {
	for {
		all := union(i.MatchedTags, tags)
		if len(all) == len(i.MatchedTags) {
			return i, nil
		}
		set := func(tags []string) expression.ValueBuilder {
			return expression.Value(&types.AttributeValueMemberSS{Value: tags})
		}
		expr, err := expression.NewBuilder().
			WithUpdate(expression.Set(expression.Name(AttrMatchedTags), set(all))).
			WithCondition(expression.Name(AttrMatchedTags).Equal(set(i.MatchedTags))).Build()
		if err != nil {
			return Item{}, fmt.Errorf("add tags to %s: %w", i.SourceID, err)
		}
		out, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &s.table, Key: Key(i.SourceID, i.IngestedAt), ReturnValues: types.ReturnValueAllNew,
			UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
			ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		if err == nil {
			return parse(out.Attributes)
		}
		failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
		if !ok {
			return Item{}, fmt.Errorf("add tags to %s: %w", i.SourceID, err)
		}
		if len(failed.Item) == 0 {
			return Item{}, lifecycle.ErrNotFound
		}
		// Another writer added a tag. An item has at most MaxTags, so the loop ends.
		if i, err = parse(failed.Item); err != nil {
			return Item{}, err
		}
	}
}

// Parse parses an item from the table or its stream. It returns an error if a required attribute
// is missing or invalid.
func Parse(attributes map[string]types.AttributeValue) (Item, error) {
	i, err := parse(attributes)
	if err != nil {
		return Item{}, err
	}
	_, timeErr := i.Ingested()
	switch {
	case !sourceIDForm.MatchString(i.SourceID):
		return Item{}, fmt.Errorf("invalid source id %q", i.SourceID)
	case timeErr != nil:
		return Item{}, fmt.Errorf("parse the ingestion time of %s: %w", i.SourceID, timeErr)
	case i.Status != Pending && i.Status != Analyzed:
		return Item{}, fmt.Errorf("%s: invalid status %q", i.SourceID, i.Status)
	case len(i.MatchedTags) == 0:
		return Item{}, fmt.Errorf("%s has no tags", i.SourceID)
	case slices.Contains(i.MatchedTags, ""):
		return Item{}, fmt.Errorf("%s has an empty tag", i.SourceID)
	}
	if i.Scored() {
		err = Analysis{Sentiment: i.Sentiment, Score: i.Score, Compound: i.Compound, ModelVersion: i.ModelVersion}.check()
	}
	if err != nil {
		return Item{}, fmt.Errorf("%s: %w", i.SourceID, err)
	}
	return i, nil
}

func parse(attributes map[string]types.AttributeValue) (Item, error) {
	var i Item
	if err := attributevalue.UnmarshalMap(attributes, &i); err != nil {
		return Item{}, fmt.Errorf("read a feed item: %w", err)
	}
	slices.Sort(i.MatchedTags) // a set is unordered
	return i, nil
}
