package dynamolite_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The first put is throttled; the second one is not.
func ExampleEngine_Faults() {
	engine, err := dynamolite.Open(dynamolite.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { fmt.Println("close:", engine.Close()) }()
	server := httptest.NewServer(engine)
	defer server.Close()
	client := dynamodb.New(dynamodb.Options{
		BaseEndpoint: aws.String(server.URL),
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("any", "any", ""),
	})
	ctx := context.Background()
	_, err = client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String("jobs"),
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		BillingMode:          types.BillingModePayPerRequest,
	})
	fmt.Println("create:", err)

	engine.Faults().Add(dynamolite.Fault{Kind: dynamolite.Throttle, Operation: "PutItem", Table: "jobs", Count: 1})
	put := &dynamodb.PutItemInput{TableName: aws.String("jobs"), Item: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "1"}}}
	_, err = client.PutItem(ctx, put, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	fmt.Println("throttled:", err != nil)
	_, err = client.PutItem(ctx, put)
	fmt.Println("put:", err)
	// Output:
	// create: <nil>
	// throttled: true
	// put: <nil>
	// close: <nil>
}
