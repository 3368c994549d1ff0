package table

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	return s.settle(ctx, db)
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
