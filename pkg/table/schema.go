package table

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Schema describes a table: what CreateTable creates, and the settings that have calls of their own.
type Schema struct {
	// Create contains the keys, the indexes, the change stream, the billing, the encryption and the tags.
	Create *dynamodb.CreateTableInput
	TTL    string // the attribute of the time to live, in epoch seconds; empty for none
	// Recovery enables point-in-time recovery.
	Recovery bool
	// Regions are those in which the data model proposes replicas. Settings select the Replicas, which EnsureAll creates.
	Regions, Replicas []string
	// Scaling scales the provisioned capacity of the table and of each index; nil for none.
	Scaling *Scaling
	Item    any // the struct that is stored, for docs/data-model.md; nil if only a service knows it
}

// Scaling is the automatic scaling of provisioned capacity.
type Scaling struct {
	Read, Write Capacity
	Target      float64 // the utilization to keep, in percent
}

// Capacity is a range of capacity units per second.
type Capacity struct{ Min, Max int64 }

// EnsureAll creates the tables that do not exist, waits until all are active, and changes their settings to those of the
// schemas. It does not change keys, indexes, change streams and billing of existing tables, and removes nothing: neither tags
// nor replicas, recovery or encryption.
func EnsureAll(ctx context.Context, db *dynamodb.Client, schemas []Schema) error {
	for _, schema := range schemas {
		if err := schema.ensure(ctx, db); err != nil {
			return fmt.Errorf("table %s: %w", *schema.Create.TableName, err)
		}
	}
	return nil
}

func (s Schema) ensure(ctx context.Context, db *dynamodb.Client) error {
	_, err := db.CreateTable(ctx, s.Create)
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create: %w", err)
	}
	existed := err != nil
	described, err := active(ctx, db, *s.Create.TableName, tableWait)
	if err != nil {
		return err
	}
	if existed {
		if err := s.ensureTags(ctx, db, described); err != nil {
			return fmt.Errorf("tags: %w", err)
		}
		if err := s.ensureEncryption(ctx, db, described); err != nil {
			return fmt.Errorf("encryption: %w", err)
		}
	}
	if s.TTL != "" {
		if err := EnsureTTL(ctx, db, *s.Create.TableName, s.TTL); err != nil {
			return err
		}
	}
	if err := s.ensureRecovery(ctx, db); err != nil {
		return fmt.Errorf("point-in-time recovery: %w", err)
	}
	if err := s.ensureReplicas(ctx, db, described); err != nil {
		return fmt.Errorf("replicas: %w", err)
	}
	return nil
}

const (
	// tableWait limits the wait for a table to become active after it was created or its encryption was changed.
	tableWait = 2 * time.Minute
	// replicaWait limits the wait for a new replica, to which DynamoDB copies all items.
	replicaWait = time.Hour
)

// active waits until a table and its replicas are active.
func active(ctx context.Context, db *dynamodb.Client, name string, limit time.Duration) (*types.TableDescription, error) {
	waiter := dynamodb.NewTableExistsWaiter(db, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, 2*time.Second
		o.Retryable = func(_ context.Context, _ *dynamodb.DescribeTableInput, out *dynamodb.DescribeTableOutput, err error) (bool, error) {
			if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
				return true, nil
			}
			return err == nil && !isActive(out.Table), err
		}
	})
	out, err := waiter.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: &name}, limit)
	if err != nil {
		return nil, fmt.Errorf("did not become active: %w", err)
	}
	return out.Table, nil
}

func isActive(t *types.TableDescription) bool {
	for _, replica := range t.Replicas {
		if replica.ReplicaStatus != types.ReplicaStatusActive {
			return false
		}
	}
	return t.TableStatus == types.TableStatusActive
}

// ensureTags sets the tags of the schema.
func (s Schema) ensureTags(ctx context.Context, db *dynamodb.Client, t *types.TableDescription) error {
	if len(s.Create.Tags) == 0 {
		return nil
	}
	present := map[string]string{}
	for in := (&dynamodb.ListTagsOfResourceInput{ResourceArn: t.TableArn}); ; {
		out, err := db.ListTagsOfResource(ctx, in)
		if err != nil {
			return err
		}
		for _, tag := range out.Tags {
			present[*tag.Key] = *tag.Value
		}
		if in.NextToken = out.NextToken; in.NextToken == nil {
			break
		}
	}
	var missing []types.Tag
	for _, tag := range s.Create.Tags {
		if value, set := present[*tag.Key]; !set || value != *tag.Value {
			missing = append(missing, tag)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err := db.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: t.TableArn, Tags: missing})
	return err
}

// ensureEncryption encrypts the table with a key of KMS, and with the key of the schema if it names one.
func (s Schema) ensureEncryption(ctx context.Context, db *dynamodb.Client, t *types.TableDescription) error {
	want, have := s.Create.SSESpecification, t.SSEDescription
	if want == nil || have != nil && have.SSEType == types.SSETypeKms &&
		(want.KMSMasterKeyId == nil || aws.ToString(have.KMSMasterKeyArn) == *want.KMSMasterKeyId) {
		return nil
	}
	if _, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: s.Create.TableName, SSESpecification: want}); err != nil {
		return err
	}
	_, err := active(ctx, db, *s.Create.TableName, tableWait)
	return err
}

// EnsureTTL enables the time to live of a table by the given attribute, which contains epoch seconds, unless it is enabled.
func EnsureTTL(ctx context.Context, db *dynamodb.Client, name, attribute string) error {
	if enabled, err := expires(ctx, db, name); err != nil || enabled {
		return err
	}
	_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("time to live: %w", err)
	}
	return nil
}

// expires reports whether time to live is enabled for a table.
func expires(ctx context.Context, db *dynamodb.Client, name string) (bool, error) {
	found, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return false, fmt.Errorf("time to live: %w", err)
	}
	switch found.TimeToLiveDescription.TimeToLiveStatus {
	case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
		return true, nil
	}
	return false, nil
}

func (s Schema) ensureRecovery(ctx context.Context, db *dynamodb.Client) error {
	if !s.Recovery {
		return nil
	}
	found, err := db.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: s.Create.TableName})
	if err != nil {
		return err
	}
	recovery := found.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if recovery != nil && recovery.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled {
		return nil
	}
	_, err = db.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        s.Create.TableName,
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	return err
}

// ensureReplicas creates missing replicas, one after another, as DynamoDB requires.
func (s Schema) ensureReplicas(ctx context.Context, db *dynamodb.Client, t *types.TableDescription) error {
	present := map[string]bool{}
	for _, replica := range t.Replicas {
		present[aws.ToString(replica.RegionName)] = true
	}
	for _, region := range s.Replicas {
		if present[region] {
			continue
		}
		create := &types.CreateReplicationGroupMemberAction{RegionName: &region}
		if key := s.Create.SSESpecification; key != nil && key.KMSMasterKeyId != nil {
			replica, err := keyIn(*key.KMSMasterKeyId, region)
			if err != nil {
				return err
			}
			create.KMSMasterKeyId = &replica
		}
		if _, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{
			TableName: s.Create.TableName, ReplicaUpdates: []types.ReplicationGroupUpdate{{Create: create}},
		}); err != nil {
			return fmt.Errorf("%s: %w", region, err)
		}
		if _, err := active(ctx, db, *s.Create.TableName, replicaWait); err != nil {
			return fmt.Errorf("%s: %w", region, err)
		}
	}
	return nil
}
