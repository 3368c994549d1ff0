package projector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/feed"
)

// change is what a batch of changes comes to for one item: an old item to hide,
// then a new one to show.
type change struct {
	record     streams.Record // the last of the item
	hide, show *feed.Item
}

// project writes the rows of a batch of changes, each item once. Changes that no
// attempt can project are set aside.
func (p *Projector) project(ctx context.Context, shard string, records []streams.Record) error {
	changes := map[string]change{}
	for _, record := range records {
		at, err := understand(record)
		if err != nil {
			if err := p.setAside(ctx, shard, record, err); err != nil {
				return err
			}
			continue
		}
		key, err := keyOf(record)
		if err != nil {
			return err
		}
		if earlier, there := changes[key]; there && at.hide == nil {
			at.hide = earlier.hide
		}
		changes[key] = at
	}
	group, writing := errgroup.WithContext(ctx)
	group.SetLimit(p.cfg.Parallel)
	for _, change := range changes {
		group.Go(func() error {
			err := p.write(writing, change)
			if refused, ok := errors.AsType[smithy.APIError](err); ok && refused.ErrorCode() == "ValidationException" {
				return p.setAside(writing, shard, change.record, err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var items []feed.Item
	for _, change := range changes {
		for _, item := range []*feed.Item{change.hide, change.show} {
			if item != nil {
				items = append(items, *item)
			}
		}
	}
	p.metrics.projected.Add(float64(len(records)))
	if len(items) > 0 {
		p.changed(items)
	}
	return nil
}

func (p *Projector) write(ctx context.Context, c change) error {
	if c.hide != nil {
		if err := p.dashboard.Hide(ctx, *c.hide); err != nil {
			return err
		}
	}
	if c.show == nil {
		return nil
	}
	return p.dashboard.Show(ctx, *c.show)
}

// understand reads a change. A pending item has nothing to show.
func understand(record streams.Record) (change, error) {
	c := change{record: record}
	if record.Dynamodb == nil {
		return c, errors.New("the change has no images")
	}
	image := record.Dynamodb.NewImage
	if record.EventName == streams.OperationTypeRemove {
		image = record.Dynamodb.OldImage
	}
	attributes, err := attributevalue.FromDynamoDBStreamsMap(image)
	if err != nil {
		return c, fmt.Errorf("read the image: %w", err)
	}
	item, err := feed.Parse(attributes)
	switch {
	case err != nil:
		return c, err
	case item.Status != feed.Analyzed:
	case record.EventName == streams.OperationTypeRemove:
		c.hide = &item
	default:
		c.show = &item
	}
	return c, nil
}

// keyOf names the item of a change.
func keyOf(record streams.Record) (string, error) {
	attributes, err := attributevalue.FromDynamoDBStreamsMap(record.Dynamodb.Keys)
	if err != nil {
		return "", fmt.Errorf("read the key of a change: %w", err)
	}
	var key struct {
		SourceID   string `dynamodbav:"source_id"`
		IngestedAt string `dynamodbav:"ingested_at"`
	}
	if err := attributevalue.UnmarshalMap(attributes, &key); err != nil {
		return "", fmt.Errorf("read the key of a change: %w", err)
	}
	return key.SourceID + " " + key.IngestedAt, nil
}

// setAside keeps a change that cannot be projected, so that those behind it can.
func (p *Projector) setAside(ctx context.Context, shard string, record streams.Record, reason error) error {
	if err := p.poison.keep(ctx, shard, record, reason); err != nil {
		return err
	}
	p.metrics.poison.Inc()
	p.log.Error().Err(reason).Str("shard", shard).Str("event", aws.ToString(record.EventID)).Msg("a change cannot be projected and is set aside")
	return nil
}

// poisonPartition is the day_partition of changes that were set aside.
const poisonPartition = "projector#poison"

// poison keeps what cannot be projected as rows of the dashboard table, for as
// long as its other rows.
type poison struct {
	db    *dynamodb.Client
	table string
}

func (s poison) keep(ctx context.Context, shard string, record streams.Record, reason error) error {
	row := map[string]types.AttributeValue{
		"day_partition": &types.AttributeValueMemberS{Value: poisonPartition},
		"ingested_at":   &types.AttributeValueMemberS{Value: shard},
		"reason":        &types.AttributeValueMemberS{Value: reason.Error()},
		"event_name":    &types.AttributeValueMemberS{Value: string(record.EventName)},
		"expires_at":    expires(time.Now()),
	}
	images := map[string]types.AttributeValue{}
	if d := record.Dynamodb; d != nil {
		row["ingested_at"] = &types.AttributeValueMemberS{Value: shard + "#" + aws.ToString(d.SequenceNumber)}
		for name, image := range map[string]map[string]streams.AttributeValue{"keys": d.Keys, "new_image": d.NewImage, "old_image": d.OldImage} {
			if attributes, err := attributevalue.FromDynamoDBStreamsMap(image); err == nil {
				images[name] = &types.AttributeValueMemberM{Value: attributes}
			}
		}
	}
	whole := maps.Clone(row)
	maps.Copy(whole, images)
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: whole})
	if refused, ok := errors.AsType[smithy.APIError](err); ok && refused.ErrorCode() == "ValidationException" {
		// Together the images may be larger than a row.
		if keys, there := images["keys"]; there {
			row["keys"] = keys
		}
		_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: row})
	}
	if err != nil {
		return fmt.Errorf("set a change aside: %w", err)
	}
	return nil
}
