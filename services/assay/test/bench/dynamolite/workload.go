package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The table: partitions × perPartition items of about 300 bytes.
const (
	partitions   = 100
	perPartition = 100
)

const createTable = `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST",
"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"}],
"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]}`

// workload is one kind of request on a random item.
type workload struct {
	name      string
	operation string
	body      func(*rand.Rand) string
}

func workloads() []workload {
	return []workload{
		{"conditional UpdateItem", "UpdateItem", func(r *rand.Rand) string {
			return fmt.Sprintf(`{"TableName":"bench",%s}`, update(r, r.IntN(partitions)))
		}},
		{"TransactWriteItems of 2", "TransactWriteItems", func(r *rand.Rand) string {
			p := r.IntN(partitions)
			return fmt.Sprintf(`{"TransactItems":[{"Update":{"TableName":"bench",%s}},{"Update":{"TableName":"bench",%s}}]}`,
				update(r, p), update(r, (p+1)%partitions))
		}},
		{"GetItem", "GetItem", func(r *rand.Rand) string {
			return fmt.Sprintf(`{"TableName":"bench","ConsistentRead":true,"Key":%s}`, key(r.IntN(partitions), r.IntN(perPartition)))
		}},
		{"Query of 20", "Query", func(r *rand.Rand) string {
			return fmt.Sprintf(`{"TableName":"bench","KeyConditionExpression":"pk = :pk AND sk >= :sk","Limit":20,`+
				`"ExpressionAttributeValues":{":pk":{"S":"partition-%03d"},":sk":{"S":"item-%03d"}}}`, r.IntN(partitions), r.IntN(perPartition-20))
		}},
	}
}

func key(partition, n int) string {
	return fmt.Sprintf(`{"pk":{"S":"partition-%03d"},"sk":{"S":"item-%03d"}}`, partition, n)
}

func update(r *rand.Rand, partition int) string {
	return fmt.Sprintf(`"Key":%s,"UpdateExpression":"SET #s = :to, updatedAt = :now ADD version :one","ConditionExpression":"#s IN (:a, :b) AND version >= :zero",`+
		`"ExpressionAttributeNames":{"#s":"status"},"ExpressionAttributeValues":{":to":{"S":"PROCESSING"},":a":{"S":"QUEUED"},":b":{"S":"PROCESSING"},`+
		`":now":{"N":"%d"},":one":{"N":"1"},":zero":{"N":"0"}}`, key(partition, r.IntN(perPartition)), 1_700_000_000_000+r.Int64N(1_000_000_000))
}

// batch returns a request that puts 25 items of the partition, starting with item
// first.
func batch(partition, first int) string {
	var puts []string
	for n := first; n < first+25; n++ {
		k := key(partition, n)
		puts = append(puts, fmt.Sprintf(`{"PutRequest":{"Item":%s,"status":{"S":"QUEUED"},"version":{"N":"0"},"updatedAt":{"N":"1700000000000"},"text":{"S":"%s"}}}}`,
			k[:len(k)-1], strings.Repeat("lorem ipsum ", 16)))
	}
	return `{"RequestItems":{"bench":[` + strings.Join(puts, ",") + `]}}`
}
