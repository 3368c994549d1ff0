package newarea

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// This file contains the description and the store of the area. Those of other areas are in pkg/<area>.

const (
	areaName   = "sum"
	workStream = "ASSAY_WORK_SUM"
	consumer   = "analyzer-sum"
	tableName  = "sums"
	added      = "assay.sum.added."
)

const (
	pending    lifecycle.State = "PENDING"
	inProgress lifecycle.State = "IN_PROGRESS"
	completed  lifecycle.State = "COMPLETED"
	failed     lifecycle.State = "FAILED"
)

func machine() lifecycle.Machine {
	return lifecycle.Machine{
		Area: areaName, Status: "status", Start: pending, Final: []lifecycle.State{completed, failed},
		Moves: []lifecycle.Move{claim(), complete(), fail(), retry()},
	}
}

func claim() lifecycle.Move {
	return lifecycle.Move{Name: "claim", From: []lifecycle.State{pending, inProgress}, To: inProgress}
}

func complete() lifecycle.Move {
	return lifecycle.Move{Name: "complete", From: []lifecycle.State{inProgress}, To: completed}
}

func fail() lifecycle.Move {
	return lifecycle.Move{Name: "fail", From: []lifecycle.State{pending, inProgress}, To: failed}
}

func retry() lifecycle.Move {
	return lifecycle.Move{Name: "retry", From: []lifecycle.State{failed}, To: pending, Explicit: true}
}

// describe returns the description of the area.
func describe() area.Area {
	return area.Area{
		Name: areaName, Machine: machine(), Work: work(), Consumers: []string{consumer},
		Events: []event.Event{newAdded(sum{ID: "{id}"})},
		Storage: area.Storage{Tables: []table.Schema{{Create: &dynamodb.CreateTableInput{
			TableName: aws.String(tableName), BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
			KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		}}}},
	}
}

func work() bus.Work { return bus.Work{Stream: workStream, Subjects: added + ">"} }

// sum is one item: numbers to add up.
type sum struct {
	ID           string          `dynamodbav:"id" json:"id"`
	OwnerID      string          `dynamodbav:"ownerId" json:"ownerId"`
	Numbers      []int64         `dynamodbav:"numbers" json:"numbers"`
	Status       lifecycle.State `dynamodbav:"status" json:"status"`
	UpdatedAt    int64           `dynamodbav:"updatedAt" json:"-"` // epoch milliseconds; the fence
	Total        int64           `dynamodbav:"total,omitempty" json:"total"`
	ErrorMessage string          `dynamodbav:"errorMessage,omitempty" json:"errorMessage,omitempty"`
}

// newAdded returns the work event of an item.
func newAdded(s sum) event.Event {
	return event.Event{
		ID: fmt.Sprintf("sum.added/%s/%d", s.ID, s.UpdatedAt), Subject: added + s.ID, Item: s.ID,
		Owner: s.OwnerID, Tenant: s.OwnerID, Time: time.UnixMilli(s.UpdatedAt), Data: wrapperspb.String(s.ID),
	}
}

// outcome returns the event of a final state.
func outcome(s sum) event.Event {
	at := timestamppb.New(time.UnixMilli(s.UpdatedAt))
	if s.Status == failed {
		return event.NewAnalysisFailed(&event.AnalysisFailed{Area: areaName, Id: s.ID, OwnerId: s.OwnerID, FailedAt: at, ErrorMessage: s.ErrorMessage})
	}
	return event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: areaName, Id: s.ID, OwnerId: s.OwnerID, CompletedAt: at})
}

// ended reports whether an item is in a final state, and the reason if it failed.
func (s sum) ended() (bool, string) { return machine().IsFinal(s.Status), s.ErrorMessage }

func newID() string { return uuid.Must(uuid.NewV7()).String() }

type store struct{ db *dynamodb.Client }

func key(id string) table.Key { return table.Key{"id": table.Text(id)} }

func (s store) check(ctx context.Context) error { return table.Check(ctx, s.db, tableName) }

// create writes a new item.
func (s store) create(ctx context.Context, item sum) (sum, error) {
	item.Status, item.UpdatedAt = pending, time.Now().UnixMilli()
	attributes, err := attributevalue.MarshalMap(item)
	if err != nil {
		return item, err
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: attributes, ConditionExpression: aws.String("attribute_not_exists(id)"),
	})
	return item, err
}

// get returns an item with a consistent read, or lifecycle.ErrNotFound.
func (s store) get(ctx context.Context, id string) (item sum, err error) {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key(id), ConsistentRead: aws.Bool(true)})
	if err == nil && out.Item == nil {
		err = lifecycle.ErrNotFound
	}
	if err != nil {
		return item, err
	}
	return item, attributevalue.UnmarshalMap(out.Item, &item)
}

// scan returns a page of items and the cursor of the next page.
func (s store) scan(ctx context.Context, cursor string) (items []sum, next string, err error) {
	in := &dynamodb.ScanInput{TableName: aws.String(tableName)}
	if cursor != "" {
		if in.ExclusiveStartKey, err = table.ParseCursor(areaName, cursor); err != nil {
			return nil, "", err
		}
	}
	out, err := s.db.Scan(ctx, in)
	if err != nil {
		return nil, "", err
	}
	next, err = table.Cursor(areaName, out.LastEvaluatedKey)
	return items, next, errors.Join(err, attributevalue.UnmarshalListOfMaps(out.Items, &items))
}

// move makes a move, sets attributes in the same write, and returns the new item. Errors are those of
// lifecycle.Machine.Apply.
func (s store) move(ctx context.Context, m lifecycle.Move, item sum, set table.Key) (sum, error) {
	fence, _ := lifecycle.TimeFence("updatedAt", item.UpdatedAt, time.Now())
	image, err := machine().Apply(ctx, s.db, m, lifecycle.Write{
		Fence: fence, Items: []lifecycle.Item{{Table: tableName, Key: key(item.ID), Set: set}}, Image: true,
	})
	if err != nil {
		return sum{}, err
	}
	var moved sum
	return moved, attributevalue.UnmarshalMap(image, &moved)
}
