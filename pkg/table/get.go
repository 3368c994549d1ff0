package table

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// GetLimit is how many items DynamoDB reads in one request.
const GetLimit = 100

// GetAll reads the items that there are of these keys, all different, and calls
// see with one at a time, in no order, until it returns an error.
func GetAll(ctx context.Context, db Reader, name string, keys []Key, consistent bool, see func(map[string]types.AttributeValue) error) error {
	for chunk := range slices.Chunk(keys, GetLimit) {
		for len(chunk) > 0 {
			out, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				name: {Keys: chunk, ConsistentRead: &consistent},
			}})
			if err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
			for _, item := range out.Responses[name] {
				if err := see(item); err != nil {
					return err
				}
			}
			chunk = out.UnprocessedKeys[name].Keys
		}
	}
	return nil
}
