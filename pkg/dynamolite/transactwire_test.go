package dynamolite

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// transactionBodies are requests with every member that the quick way knows, and the
// unusual ones that it must leave to the other.
var transactionBodies = []string{
	`{"ClientRequestToken":"token","ReturnConsumedCapacity":"TOTAL","ReturnItemCollectionMetrics":"SIZE","TransactItems":[` +
		`{"Put":{"TableName":"things","Item":{"pk":{"S":"é\n"},"n":{"N":"1e3"},"l":{"L":[{"M":{"b":{"BOOL":true},"a":{"NULL":true}}},{"SS":["y","x"]}]}}}},` +
		`{"Update":{"TableName":"things","Key":{"pk":{"S":"b"}},"UpdateExpression":"SET #n = :n","ConditionExpression":"#n < :n",` +
		`"ExpressionAttributeNames":{"#n":"n"},"ExpressionAttributeValues":{":n":{"N":"5"}},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},` +
		`{"Delete":{"TableName":"things","Key":{"pk":{"B":"AP8="}}}},{"ConditionCheck":{"TableName":"things","Key":{},"ConditionExpression":"x"}}]}`,
	`{"ClientRequestToken":"a","ClientRequestToken":"b","TransactItems":[{"Put":{"TableName":"a","TableName":"b","Item":{"a":{"S":"x"}},"Item":{"b":{"S":"y"}}}}]}`,
	` { "TransactItems" : [ ] } `, `{}`, `{"TransactItems":[{}]}`,
	`{"TransactItems":[{"Put":{"TableName":"a","TableName":"b"}}],"TransactItems":[{"Delete":{}}]}`,
	`{"TransactItems":[{"Put":{"Item":{"a":{"S":"x"}}},"Put":{"Item":{"b":{"S":"y"}},"ExpressionAttributeNames":{"#a":"a"},"ExpressionAttributeNames":{"#b":"b"}}}]}`,
	`{"TransactItems":null,"ClientRequestToken":null,"Unknown":[1,{"a":"b"}]}`,
	`{"TransactItems":[{"Put":null},{"Put":{"TableName":null,"Item":null,"ExpressionAttributeNames":null}}]}`,
	`{"TransactItems":[{"Put":{"Item":{"a":{"S":5}}}}]}`, `{"TransactItems":[{"Put":{"Item":{"a":{"BOOL":tru}}}}]}`,
	`{"TransactItems":[{"Put":{"Item":{"a":{"S":null,"N":"1","X":{"y":[]}},"b":null,"c":{"S":"a","N":"1"}}}}]}`,
	`{"TransactItems":{}}`, `[]`, ``, `{"ClientRequestToken":"a"}}`, "{\"ClientRequestToken\":\"\x01\"}", "{\"ClientRequestToken\":\"\xff\\ud800\"}",
}

// likeReflection reads the body in both ways.
func likeReflection(t *testing.T, body []byte) (quickly bool) {
	t.Helper()
	var in, want transactWriteItemsInput
	quickly = in.read(body)
	type reflected transactWriteItemsInput // has no method read
	err := decode(body, (*reflected)(&want))
	switch {
	case quickly && err != nil:
		t.Errorf("%q: read as %+v, which is: %v", body, in, err)
	case quickly && !reflect.DeepEqual(in, want):
		t.Errorf("%q: read as %+v, not %+v", body, in, want)
	case !quickly && !reflect.DeepEqual(in, transactWriteItemsInput{}):
		t.Errorf("%q: left as %+v", body, in)
	}
	return quickly
}

// Whatever the quick way takes is valid JSON, and means to reflection the same.
func TestATransactionIsReadAsByReflection(t *testing.T) {
	quickly := 0
	for _, body := range transactionBodies {
		if likeReflection(t, []byte(body)) {
			quickly++
		}
	}
	if quickly != 6 {
		t.Errorf("%d of the bodies were read in the quick way, not the first five and the last", quickly)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		body := []byte(transactionBodies[random.IntN(len(transactionBodies))])
		for range 1 + random.IntN(3) {
			likeReflection(t, mutate(random, &body))
		}
	}
}

// mutate changes, removes or repeats a piece of the body.
func mutate(random *rand.Rand, body *[]byte) []byte {
	b := *body
	at := random.IntN(len(b) + 1)
	end := min(len(b), at+random.IntN(1+random.IntN(40)))
	switch random.IntN(3) {
	case 0:
		const bytes = `{}[]",:\ntfu0 SNBLM` + "\x00\xff"
		b = slices.Replace(b, at, end, bytes[random.IntN(len(bytes))])
	case 1:
		b = slices.Delete(b, at, end)
	default:
		b = slices.Insert(b, random.IntN(len(b)+1), slices.Clone(b[at:end])...)
	}
	*body = b
	return b
}

func FuzzTransaction(f *testing.F) {
	for _, body := range transactionBodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { likeReflection(t, body) })
}
