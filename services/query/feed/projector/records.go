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

	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// project writes the rows of a batch of changes. Changes that can never be projected are set aside.
func (p *Projector) project(ctx context.Context, shard string, records []streams.Record) error {
	images := make([]dashboard.Image, 0, len(records))
	from := make([]streams.Record, 0, len(records)) // the record of each image
	for _, record := range records {
		image, shown, err := parse(record)
		switch {
		case err != nil:
			if err := p.setAside(ctx, shard, record, err); err != nil {
				return err
			}
		case shown:
			images, from = append(images, image), append(from, record)
		}
	}
	for _, image := range images { // a span in the trace of each item; the requests are in that of the batch
		if item := image.Item.Trace(ctx); obs.TraceFrom(item).Parent != "" {
			_, span := obs.Continue(ctx, item, "project")
			defer span.End()
		}
	}
	err := p.apply(ctx, images...)
	if dashboard.Refused(err) {
		err = p.applyEach(ctx, shard, images, from)
	}
	if err != nil {
		return err
	}
	if len(images) > 0 {
		items := make([]feed.Item, len(images))
		for i, image := range images {
			items[i] = image.Item
		}
		p.changed(items)
	}
	return nil
}

// apply serializes the writes of this process's shards, because they share counters.
func (p *Projector) apply(ctx context.Context, images ...dashboard.Image) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.dashboard.Apply(ctx, images...)
}

// applyEach applies changes individually, and sets aside those that are rejected.
func (p *Projector) applyEach(ctx context.Context, shard string, images []dashboard.Image, from []streams.Record) error {
	for i, image := range images {
		err := p.apply(ctx, image)
		if dashboard.Refused(err) {
			err = p.setAside(ctx, shard, from[i], err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// parse returns the image of a change. shown reports whether the item has been analyzed and
// therefore has rows.
func parse(record streams.Record) (image dashboard.Image, shown bool, err error) {
	if record.Dynamodb == nil {
		return dashboard.Image{}, false, errors.New("the change record has no images")
	}
	latest := record.Dynamodb.NewImage
	if record.EventName == streams.OperationTypeRemove {
		latest, image.Gone = record.Dynamodb.OldImage, true
	}
	attributes, err := attributevalue.FromDynamoDBStreamsMap(latest)
	if err != nil {
		return dashboard.Image{}, false, fmt.Errorf("read the image: %w", err)
	}
	image.Item, err = feed.Parse(attributes)
	return image, image.Item.Scored(), err
}

// setAside stores a change that cannot be projected, so that it does not block
// later changes.
func (p *Projector) setAside(ctx context.Context, shard string, record streams.Record, reason error) error {
	if err := p.poison.keep(ctx, shard, record, reason); err != nil {
		return err
	}
	p.follower.Poisoned()
	p.log.Error().Err(reason).Str("shard", shard).Str("event", aws.ToString(record.EventID)).Msg("stored a change that cannot be projected")
	return nil
}

// poisonPartition is the day_partition of changes that were set aside.
const poisonPartition = "projector#poison"

// poison stores changes that cannot be projected as rows of the dashboard
// table, with the same retention as its other rows.
type poison struct {
	db    *dynamodb.Client
	table string
}

func (s poison) keep(ctx context.Context, shard string, record streams.Record, reason error) error {
	row := map[string]types.AttributeValue{
		"day_partition":    &types.AttributeValueMemberS{Value: poisonPartition},
		"ingested_at":      &types.AttributeValueMemberS{Value: shard},
		"reason":           &types.AttributeValueMemberS{Value: reason.Error()},
		"event_name":       &types.AttributeValueMemberS{Value: string(record.EventName)},
		feed.AttrExpiresAt: table.Integer(time.Now().Add(feed.Retention).Unix()),
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
	complete := maps.Clone(row)
	maps.Copy(complete, images)
	_, err := s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: complete})
	if refused, ok := errors.AsType[smithy.APIError](err); ok && refused.ErrorCode() == "ValidationException" {
		// The images together may exceed the size limit of a row.
		if keys, there := images["keys"]; there {
			row["keys"] = keys
		}
		_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: row})
	}
	if err != nil {
		return fmt.Errorf("store a change: %w", err)
	}
	return nil
}
