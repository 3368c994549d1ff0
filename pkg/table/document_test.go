package table_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract/decimal"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

type documentRow struct {
	ID       string         `dynamodbav:"id"`
	Document table.Document `dynamodbav:"document,omitempty"`
}

// TestDocuments checks that a document is the same after it was stored in a table, with all digits of its numbers, also
// of those that are no number of DynamoDB.
func TestDocuments(t *testing.T) {
	db, _ := tabletest.Start(t)
	name := "documents"
	_, err := db.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: &[]string{"id"}[0], KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: &[]string{"id"}[0], AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"a":[1,-0.5,{"id":1234567890123456789}],"b":9007199254740993,"c":10000000000000000000000000000000000001,` +
		`"d":1e-180,"e":1e+300,"f":2.2e-308,"g":1e-400,"h":1.23456789012345678901234567890123456789e+38,"i":null,"j":"1e-180","k":true,"l":{},"m":[],"n":""}`
	var written table.Document
	if err := json.Unmarshal([]byte(text), &written); err != nil {
		t.Fatal(err)
	}
	item, err := attributevalue.MarshalMap(documentRow{"1", written})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: item}); err != nil {
		t.Fatal(err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: table.Key{"id": table.Text("1")}})
	if err != nil {
		t.Fatal(err)
	}
	var got documentRow
	if err := attributevalue.UnmarshalMap(out.Item, &got); err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(got.Document)
	if err != nil || string(shown) != text || !reflect.DeepEqual(got.Document, written) {
		t.Errorf("stored %s, error %v, want %s", shown, err, text)
	}
}

// TestDocumentOfOtherTypes checks values that were not read from JSON, and attributes that another program wrote.
func TestDocumentOfOtherTypes(t *testing.T) {
	value, err := attributevalue.Marshal(table.Document{"n": 3, "list": []string{"a"}, "struct": struct {
		X float64 `json:"x"`
	}{1e-200}})
	if err != nil {
		t.Fatal(err)
	}
	var got table.Document
	want := table.Document{"n": 3.0, "list": []any{"a"}, "struct": map[string]any{"x": 1e-200}}
	if err := attributevalue.Unmarshal(value, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	if value, err := attributevalue.Marshal(table.Document{"n": math.NaN()}); err == nil {
		t.Errorf("NaN is stored as %v", value)
	}
	older, err := attributevalue.Marshal(map[string]any{"min": 0.25, "max": 1e20, "set": nil})
	if err != nil {
		t.Fatal(err)
	}
	want = table.Document{"min": 0.25, "max": 1e20, "set": nil}
	if err := attributevalue.Unmarshal(older, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, error %v, want %v", got, err, want)
	}
	var none struct{ Document table.Document }
	if err := attributevalue.UnmarshalMap(table.Key{"Document": &types.AttributeValueMemberNULL{Value: true}}, &none); err != nil || none.Document != nil {
		t.Errorf("null: got %v, error %v", none.Document, err)
	}
}

// TestNumberRange checks the limits that the documentation of DynamoDB states for numbers.
func TestNumberRange(t *testing.T) {
	for text, stored := range map[string]bool{
		"0": true, "-1e-130": true, "9.9e-131": false, "9.9999999999999999999999999999999999999e125": true, "1e126": false, "-1e126": false,
		"12345678901234567890123456789012345678": true, "123456789012345678901234567890123456789": false,
		"1234567890123456789012345678901234567800": true,
	} {
		n, _ := decimal.Parse(text)
		if err := table.CheckNumber(n); (err == nil) != stored {
			t.Errorf("%s: got %v, want stored = %t", text, err, stored)
		}
	}
}
