package dynamolite_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

func TestMalformedRequestIsRejected(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("things", "pk:S", "")
	for given, want := range map[string]string{
		``:                              "The request is not valid JSON",
		`{`:                             "The request is not valid JSON",
		`{"TableName":"things"}}`:       "The request is not valid JSON",
		`{"TableName":5,"Item":{]}`:     "The request is not valid JSON",
		`{"Item":{"pk":5},}`:            "The request is not valid JSON",
		`{"TableName":"a` + "\n" + `"}`: "The request is not valid JSON",
		`[]`:                            "Unexpected value type in payload: ",
		`{"TableName":5}`:               "Unexpected value type in payload: TableName",
		`{"ConditionExpression":{}}`:    "Unexpected value type in payload: ConditionExpression",
		`{"Item":{"pk":5}}`:             "Unexpected value type in payload",
		`{"Item":{"pk":{"S":5}}}`:       "NUMBER_VALUE cannot be converted to String",
		// The engine's JSON decoder accepts these; they fail later.
		`{"TableName":"other","TableName":"things","Item":{"pk":{"S":""}}}`: "Key: pk",
		`{"TableName":"things","Other":{"a":[1]},"Item":{}}`:                "Missing the key pk in the item",
		`{"TableName":null,"Item":null}`:                                    "2 validation errors detected",
		"{\"TableName\":\"\xff\",\"Item\":{}}":                              "Value '\uFFFD' at 'tableName'",
	} {
		response := responseTo(s.engine, "PutItem", given)
		if response.Code != http.StatusBadRequest || !strings.Contains(response.Body.String(), want) {
			t.Errorf("%q: got status %d %s, want 400 with %s", given, response.Code, response.Body, want)
		}
	}
	transaction := responseTo(s.engine, "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":{}}}]}`)
	if !strings.Contains(transaction.Body.String(), `Unexpected value type in payload: TransactItems.Put.TableName"`) {
		t.Errorf("transaction: got %s, want the path TransactItems.Put.TableName in the error", transaction.Body)
	}
}

// responseTo sends a request to the engine without the network and the SDK, and
// returns the response.
func responseTo(engine *dynamolite.Engine, operation, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Host = "localhost"
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	w := httptest.NewRecorder()
	engine.ServeHTTP(w, r)
	return w
}
