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

// Schema describes a table to create.
type Schema struct {
	Create *dynamodb.CreateTableInput
	TTL    string // the attribute of the time to live, in epoch seconds; empty for none
	Item   any    // the struct that is stored, for docs/data-model.md; nil if only a service knows it
}

// EnsureAll creates the tables that do not exist, waits until all are active, and enables their
// time to live.
func EnsureAll(ctx context.Context, db *dynamodb.Client, schemas []Schema) error {
	for _, schema := range schemas {
		if err := Ensure(ctx, db, schema.Create); err != nil {
			return err
		}
		if schema.TTL == "" {
			continue
		}
		if err := EnsureTTL(ctx, db, *schema.Create.TableName, schema.TTL); err != nil {
			return err
		}
	}
	return nil
}

// tableWait limits how long Ensure waits for a new table to become active.
const tableWait = 2 * time.Minute

// Ensure creates the table unless it exists and waits until it is active. It does not compare the
// settings of an existing table.
func Ensure(ctx context.Context, db *dynamodb.Client, schema *dynamodb.CreateTableInput) error {
	_, err := db.CreateTable(ctx, schema)
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create table %s: %w", *schema.TableName, err)
	}
	waiter := dynamodb.NewTableExistsWaiter(db, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, 2*time.Second
	})
	if err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: schema.TableName}, tableWait); err != nil {
		return fmt.Errorf("table %s did not become active: %w", *schema.TableName, err)
	}
	return nil
}

// EnsureTTL enables the time to live of a table by the given attribute, which contains epoch seconds, unless it
// is enabled.
func EnsureTTL(ctx context.Context, db *dynamodb.Client, name, attribute string) error {
	found, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		return fmt.Errorf("time to live of %s: %w", name, err)
	}
	switch found.TimeToLiveDescription.TimeToLiveStatus {
	case types.TimeToLiveStatusEnabled, types.TimeToLiveStatusEnabling:
		return nil
	}
	_, err = db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: aws.Bool(true)},
	})
	if err != nil {
		return fmt.Errorf("time to live of %s: %w", name, err)
	}
	return nil
}
