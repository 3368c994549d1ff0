package table

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// SettleAll changes the settings of existing tables to those of the schemas, as EnsureAll does.
func SettleAll(ctx context.Context, db *dynamodb.Client, schemas []Schema) error {
	for _, schema := range schemas {
		if err := schema.settle(ctx, db); err != nil {
			return fmt.Errorf("table %s: %w", *schema.Create.TableName, err)
		}
	}
	return nil
}

// step changes a setting of a table to that of its schema.
type step struct {
	action string // such as "enable time to live by expiresAt"
	do     func(context.Context, *dynamodb.Client) error
}

func (s Schema) settle(ctx context.Context, db *dynamodb.Client) error {
	described, err := active(ctx, db, *s.Create.TableName, tableWait)
	if err != nil {
		return err
	}
	steps, err := s.steps(ctx, db, described)
	if err != nil {
		return err
	}
	for _, next := range steps {
		if err := next.do(ctx, db); err != nil {
			return fmt.Errorf("%s: %w", next.action, err)
		}
	}
	return nil
}

// steps returns how the settings of a table become those of the schema.
func (s Schema) steps(ctx context.Context, db *dynamodb.Client, t *types.TableDescription) ([]step, error) {
	tags, failedTags := s.tag(ctx, db, t)
	expiry, failedExpiry := s.expire(ctx, db)
	recovery, failedRecovery := s.enableRecovery(ctx, db)
	replicas, failedReplicas := s.replicate(t)
	if err := errors.Join(failedTags, failedExpiry, failedRecovery, failedReplicas); err != nil {
		return nil, err
	}
	return slices.Concat(tags, s.encrypt(t), expiry, recovery, replicas), nil
}

// tag sets the tags of the schema.
func (s Schema) tag(ctx context.Context, db *dynamodb.Client, t *types.TableDescription) (all []step, err error) {
	if len(s.Create.Tags) == 0 {
		return nil, nil
	}
	present := map[string]string{}
	for in := (&dynamodb.ListTagsOfResourceInput{ResourceArn: t.TableArn}); ; {
		out, err := db.ListTagsOfResource(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("read the tags: %w", err)
		}
		for _, tag := range out.Tags {
			present[*tag.Key] = *tag.Value
		}
		if in.NextToken = out.NextToken; in.NextToken == nil {
			break
		}
	}
	for _, tag := range s.Create.Tags {
		if value, set := present[*tag.Key]; set && value == *tag.Value {
			continue
		}
		all = append(all, step{fmt.Sprintf("set the tag %s to %s", *tag.Key, *tag.Value), func(ctx context.Context, db *dynamodb.Client) error {
			_, err := db.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: t.TableArn, Tags: []types.Tag{tag}})
			return err
		}})
	}
	return all, nil
}

// encrypt encrypts the table with a key of KMS, and with the key of the schema if it names one.
func (s Schema) encrypt(t *types.TableDescription) []step {
	want, have := s.Create.SSESpecification, t.SSEDescription
	if want == nil || have != nil && have.SSEType == types.SSETypeKms &&
		(want.KMSMasterKeyId == nil || aws.ToString(have.KMSMasterKeyArn) == *want.KMSMasterKeyId) {
		return nil
	}
	action := "encrypt it with a key of KMS"
	if want.KMSMasterKeyId != nil {
		action = "encrypt it with the key " + *want.KMSMasterKeyId
	}
	return []step{{action, func(ctx context.Context, db *dynamodb.Client) error {
		if _, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: s.Create.TableName, SSESpecification: want}); err != nil {
			return err
		}
		_, err := active(ctx, db, *s.Create.TableName, tableWait)
		return err
	}}}
}

// expire enables the time to live by the attribute of the schema, which contains epoch seconds.
func (s Schema) expire(ctx context.Context, db *dynamodb.Client) ([]step, error) {
	if s.TTL == "" {
		return nil, nil
	}
	found, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: s.Create.TableName})
	if err != nil {
		return nil, fmt.Errorf("read the time to live: %w", err)
	}
	switch found.TimeToLiveDescription.TimeToLiveStatus {
	case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
		return nil, nil
	}
	return []step{{"enable time to live by " + s.TTL, func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               s.Create.TableName,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &s.TTL, Enabled: aws.Bool(true)},
		})
		return err
	}}}, nil
}

// enableRecovery enables point-in-time recovery if the schema has it.
func (s Schema) enableRecovery(ctx context.Context, db *dynamodb.Client) ([]step, error) {
	if !s.Recovery {
		return nil, nil
	}
	found, err := db.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: s.Create.TableName})
	if err != nil {
		return nil, fmt.Errorf("read the point-in-time recovery: %w", err)
	}
	recovery := found.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if recovery != nil && recovery.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled {
		return nil, nil
	}
	return []step{{"enable point-in-time recovery", func(ctx context.Context, db *dynamodb.Client) error {
		_, err := db.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName:                        s.Create.TableName,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
		})
		return err
	}}}, nil
}

// replicate creates missing replicas, one after another, as DynamoDB requires.
func (s Schema) replicate(t *types.TableDescription) (all []step, err error) {
	for _, region := range s.Replicas {
		if slices.ContainsFunc(t.Replicas, func(r types.ReplicaDescription) bool { return aws.ToString(r.RegionName) == region }) {
			continue
		}
		create := &types.CreateReplicationGroupMemberAction{RegionName: &region}
		if key := s.Create.SSESpecification; key != nil && key.KMSMasterKeyId != nil {
			replica, err := keyIn(*key.KMSMasterKeyId, region)
			if err != nil {
				return nil, err
			}
			create.KMSMasterKeyId = &replica
		}
		all = append(all, step{"create a replica in " + region, func(ctx context.Context, db *dynamodb.Client) error {
			if _, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{
				TableName: s.Create.TableName, ReplicaUpdates: []types.ReplicationGroupUpdate{{Create: create}},
			}); err != nil {
				return err
			}
			_, err := active(ctx, db, *s.Create.TableName, replicaWait)
			return err
		}})
	}
	return all, nil
}
