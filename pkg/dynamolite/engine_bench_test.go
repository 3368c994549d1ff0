package dynamolite_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// call sends a request, which must succeed.
func call(b *testing.B, engine *dynamolite.Engine, operation, body string) {
	if response := responseTo(engine, operation, body); response.Code != http.StatusOK {
		b.Errorf("%s: %s", operation, response.Body)
	}
}

func benchEngine(b *testing.B, sync dynamolite.Sync) *dynamolite.Engine {
	engine, err := dynamolite.Open(dynamolite.Options{Path: filepath.Join(b.TempDir(), "db"), Sync: sync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := engine.Close(); err != nil {
			b.Error(err)
		}
	})
	call(b, engine, "CreateTable", `{"TableName":"bench","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}`)
	for i := range 1000 {
		call(b, engine, "PutItem", fmt.Sprintf(`{"TableName":"bench","Item":{"pk":{"S":"%d"},"n":{"N":"0"},"status":{"S":"QUEUED"},"text":{"S":"%s"}}}`, i, strings.Repeat("lorem ipsum ", 16)))
	}
	return engine
}

func updateBody(i int) string {
	return fmt.Sprintf(`{"TableName":"bench","Key":{"pk":{"S":"%d"}},"UpdateExpression":"SET #s = :to ADD n :one","ConditionExpression":"attribute_exists(pk) AND #s <> :done",`+
		`"ExpressionAttributeNames":{"#s":"status"},"ExpressionAttributeValues":{":to":{"S":"PROCESSING"},":done":{"S":"DONE"},":one":{"N":"1"}}}`, i%1000)
}

func BenchmarkGetItem(b *testing.B) {
	engine := benchEngine(b, dynamolite.SyncNever)
	for i := 0; b.Loop(); i++ {
		call(b, engine, "GetItem", fmt.Sprintf(`{"TableName":"bench","Key":{"pk":{"S":"%d"}}}`, i%1000))
	}
}

func BenchmarkUpdateItem(b *testing.B) {
	for name, sync := range map[string]dynamolite.Sync{"SyncEveryCommit": dynamolite.SyncEveryCommit, "SyncNever": dynamolite.SyncNever} {
		b.Run(name, func(b *testing.B) {
			engine := benchEngine(b, sync)
			for i := 0; b.Loop(); i++ {
				call(b, engine, "UpdateItem", updateBody(i))
			}
		})
	}
}

func BenchmarkUpdateItem64Writers(b *testing.B) {
	engine := benchEngine(b, dynamolite.SyncEveryCommit)
	var next atomic.Int64
	b.ResetTimer()
	b.SetParallelism(32) // goroutines for each of GOMAXPROCS
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			call(b, engine, "UpdateItem", updateBody(int(next.Add(1))))
		}
	})
}
