package table

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is a difference between a table and its schema.
type Change struct {
	Table  string
	Action string // what makes the table match, such as "create"
	Manual bool   // whether EnsureAll does not do it: a change of keys, indexes or the change stream
}

// Changes compares the tables with their schemas. It changes nothing. Indexes that no schema names are not differences.
func Changes(ctx context.Context, db *dynamodb.Client, schemas []Schema) ([]Change, error) {
	var all []Change
	for _, schema := range schemas {
		name := *schema.Create.TableName
		described, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
			all = append(all, Change{Table: name, Action: "create"})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		for _, action := range differences(schema.Create, described.Table) {
			all = append(all, Change{name, action, true})
		}
		steps, err := schema.steps(ctx, db, described.Table)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
		for _, next := range steps {
			all = append(all, Change{Table: name, Action: next.action})
		}
	}
	return all, nil
}

// differences returns the changes that an existing table needs.
func differences(want *dynamodb.CreateTableInput, have *types.TableDescription) []string {
	var all []string
	if !reflect.DeepEqual(keysOf(want.KeySchema), keysOf(have.KeySchema)) {
		all = append(all, fmt.Sprintf("create it again with the key %v instead of %v", keysOf(want.KeySchema), keysOf(have.KeySchema)))
	}
	for _, index := range want.GlobalSecondaryIndexes {
		at := slices.IndexFunc(have.GlobalSecondaryIndexes, func(found types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(found.IndexName) == *index.IndexName
		})
		switch {
		case at < 0:
			all = append(all, "add the index "+*index.IndexName)
		case !reflect.DeepEqual(keysOf(index.KeySchema), keysOf(have.GlobalSecondaryIndexes[at].KeySchema)):
			all = append(all, fmt.Sprintf("create the index %s again with the key %v", *index.IndexName, keysOf(index.KeySchema)))
		}
	}
	if stream := want.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		if found := have.StreamSpecification; found == nil || !aws.ToBool(found.StreamEnabled) || found.StreamViewType != stream.StreamViewType {
			all = append(all, fmt.Sprintf("enable its stream with the view %s", stream.StreamViewType))
		}
	}
	return all
}

// keysOf returns the names of the attributes of a key, the partition key first.
func keysOf(schema []types.KeySchemaElement) []string {
	var names []string
	for _, kind := range []types.KeyType{types.KeyTypeHash, types.KeyTypeRange} {
		for _, element := range schema {
			if element.KeyType == kind {
				names = append(names, aws.ToString(element.AttributeName))
			}
		}
	}
	return names
}
