package linecount

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Item is an uploaded text. Times are epoch milliseconds.
type Item struct {
	ID           string          `dynamodbav:"id"`
	OwnerID      string          `dynamodbav:"ownerId"`
	FileName     string          `dynamodbav:"fileName"`
	Key          string          `dynamodbav:"key"`
	Status       lifecycle.State `dynamodbav:"status"`
	CreatedAt    int64           `dynamodbav:"createdAt"`
	UpdatedAt    int64           `dynamodbav:"updatedAt"` // the fence; increases with every move
	Lines        int64           `dynamodbav:"lines,omitempty"`
	ErrorMessage string          `dynamodbav:"errorMessage,omitempty"`
}

// Created returns the time of the reservation.
func (i Item) Created() time.Time { return time.UnixMilli(i.CreatedAt).UTC() }

// Updated returns the time of the last move.
func (i Item) Updated() time.Time { return time.UnixMilli(i.UpdatedAt).UTC() }

// Ended reports whether the item is in a final state, and the reason if it failed.
func (i Item) Ended() (bool, string) { return Machine().IsFinal(i.Status), i.ErrorMessage }

// LineCount is an item as the HTTP API shows it.
type LineCount struct {
	ID           string    `json:"id" format:"uuid"`
	FileName     string    `json:"fileName"`
	Status       string    `json:"status" enum:"PENDING,IN_PROGRESS,COMPLETED,FAILED"`
	CreatedAt    time.Time `json:"createdAt"`
	UpdatedAt    time.Time `json:"updatedAt" doc:"when the status last changed"`
	Lines        int64     `json:"lines" doc:"only when COMPLETED; otherwise 0"`
	ErrorMessage string    `json:"errorMessage,omitempty" doc:"only when FAILED"`
}

// View returns the item as the HTTP API shows it.
func (i Item) View() LineCount {
	return LineCount{i.ID, i.FileName, string(i.Status), i.Created(), i.Updated(), i.Lines, i.ErrorMessage}
}

// ByOwner is the index of an owner's items.
const ByOwner = "byOwner"

func schema(name string) table.Schema {
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: &name, AttributeType: types.ScalarAttributeTypeS}
	}
	return table.Schema{Item: Item{}, Create: &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{text("id"), text("ownerId")},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String(ByOwner), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{
				{AttributeName: aws.String("ownerId"), KeyType: types.KeyTypeHash},
				{AttributeName: aws.String("id"), KeyType: types.KeyTypeRange},
			},
		}},
	}}
}
