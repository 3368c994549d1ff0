// Package table is the adapter to DynamoDB: the client, table creation and paging cursors. The
// areas define the items.
package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go"

	"github.com/assay-project/assay/pkg/outage"
)

// Config configures the DynamoDB client.
type Config struct {
	Endpoint string        `env:"ASSAY_DYNAMODB_ENDPOINT" use:"often" doc:"the URL of a DynamoDB-compatible server; default: AWS"`
	Timeout  time.Duration `env:"ASSAY_DYNAMODB_TIMEOUT" envDefault:"10s" doc:"time after which a DynamoDB request is retried; 0 means no limit"`
}

// Validate returns an error that names an invalid setting.
func (c Config) Validate() error {
	if c.Timeout < 0 {
		return fmt.Errorf("ASSAY_DYNAMODB_TIMEOUT is %s: must be 0 or more", c.Timeout)
	}
	return nil
}

// Reader reads a table: DynamoDB itself, or a cache in front of it with the same API.
type Reader interface {
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// maxAttempts is the maximum number of attempts at a request by the SDK.
const maxAttempts = 6

// Connect returns a client. It makes no request.
func Connect(base aws.Config, cfg Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(base, func(o *dynamodb.Options) {
		if cfg.Endpoint != "" {
			o.BaseEndpoint = &cfg.Endpoint
		}
		if cfg.Timeout > 0 {
			o.APIOptions = append(o.APIOptions, inTime(cfg.Timeout))
		}
		o.APIOptions = append(o.APIOptions, outage.Limiting(outage.DynamoDB, func(err error) bool { return conflicted(err) == aws.TrueTernary }))
		o.HTTPClient = wholeBody{o.HTTPClient}
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = maxAttempts
			r.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(damaged)}, r.Retryables...)
			r.Retryables = append(r.Retryables, retry.IsErrorRetryableFunc(conflicted))
		})
	})
}

// ConnectStreams returns a client of the tables' change streams. It makes no
// request.
func ConnectStreams(base aws.Config, cfg Config) *dynamodbstreams.Client {
	return dynamodbstreams.NewFromConfig(base, func(o *dynamodbstreams.Options) {
		if cfg.Endpoint != "" {
			o.BaseEndpoint = &cfg.Endpoint
		}
		if cfg.Timeout > 0 {
			o.APIOptions = append(o.APIOptions, inTime(cfg.Timeout))
		}
		o.HTTPClient = wholeBody{o.HTTPClient}
	})
}

// damaged makes the SDK return an error about damaged data at once: the embedded engine (dynamolite) would
// respond to a retry with the same error.
func damaged(err error) aws.Ternary {
	failure, ok := errors.AsType[smithy.APIError](err)
	if ok && failure.ErrorCode() == "DataDamaged" {
		return aws.FalseTernary
	}
	return aws.UnknownTernary
}

// conflicted makes the SDK retry a transaction, which it considers final, if it was canceled only
// because of a conflict with another one or because of throttling.
func conflicted(err error) aws.Ternary {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return aws.UnknownTernary
	}
	again := aws.UnknownTernary
	for _, reason := range canceled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "None":
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			again = aws.TrueTernary
		default:
			return aws.FalseTernary
		}
	}
	return again
}

// CanceledFor reports whether a transaction was canceled for one of these reasons, such
// as ConditionalCheckFailed, for any of its items.
func CanceledFor(err error, codes ...string) bool {
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	return ok && slices.ContainsFunc(canceled.CancellationReasons, func(r types.CancellationReason) bool {
		return slices.Contains(codes, aws.ToString(r.Code))
	})
}

// Check returns an error unless the table can be used. It is a readiness check.
func Check(ctx context.Context, db *dynamodb.Client, name string) error {
	described, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	if status := described.Table.TableStatus; status != types.TableStatusActive && status != types.TableStatusUpdating {
		return fmt.Errorf("table %s is %s", name, status)
	}
	return nil
}
