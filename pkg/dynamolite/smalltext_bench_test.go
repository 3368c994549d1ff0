//go:build unix

package dynamolite_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
)

// transactions are those of a small text, from its upload to its end: its own item
// and that of its owner's list are put, claimed and completed. They are written as
// the AWS SDK does.
func transactions(i int) [3]string {
	file, token := fmt.Sprintf("01a1ffc1-d663-7615-%012d", i*7919), fmt.Sprintf("91b2ef63-b237-4b3c-a3ab-%011d", i)
	owner := fmt.Sprintf("01a1fe64-5c90-72e1-8805-%012d", i%32)
	keys := [2]string{
		`"SK":{"S":"META"},"PK":{"S":"FILE#` + file + `"}`,
		`"SK":{"S":"FILE#` + file + `"},"PK":{"S":"OWNER#` + owner + `"}`,
	}
	transact := func(n int, action func(key string, first bool) string) string {
		return fmt.Sprintf(`{"ClientRequestToken":"%s%d","TransactItems":[{%s},{%s}]}`, token, n, action(keys[0], true), action(keys[1], false))
	}
	move := func(from, to string, seen, next int, value string) func(key string, first bool) string {
		return func(key string, first bool) string {
			name, set, result := "", "", ""
			if first && value != "" {
				name, set, result = `"#0":"result",`, ", #0 = :0", `,":0":`+value
			}
			return `"Update":{"ConditionExpression":"#status IN (:from0) AND #fence = :seen","ExpressionAttributeNames":{"#gone0":"errorMessage",` + name +
				`"#status":"status","#fence":"updatedAt"},"ExpressionAttributeValues":{":to":{"S":"` + to + `"},":from0":{"S":"` + from + `"},":seen":{"N":"` +
				fmt.Sprint(1795292255844+seen) + `"},":next":{"N":"` + fmt.Sprint(1795292255844+next) + `"}` + result + `},"Key":{` + key +
				`},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","TableName":"files","UpdateExpression":"SET #status = :to, #fence = :next` + set + ` REMOVE #gone0"}`
		}
	}
	words := make([]string, 10)
	for w := range words {
		words[w] = fmt.Sprintf(`{"M":{"count":{"N":"%d"},"word":{"S":"word%d"}}}`, 40-3*w, w)
	}
	return [3]string{
		transact(0, func(key string, _ bool) string {
			return `"Put":{"ConditionExpression":"attribute_not_exists(PK)","Item":{"createdAt":{"N":"1795292255844"},"updatedAt":{"N":"1795292255844"},` + key +
				`,"fileId":{"S":"` + file + `"},"ownerId":{"S":"` + owner + `"},"s3Bucket":{"S":"assay-files"},"s3Key":{"S":"files/` + file +
				`/4096-f04fd0c7807d876b29221e8be884adaf"},"originalFileName":{"S":"small.txt"},"status":{"S":"PENDING"}},"TableName":"files"}`
		}),
		transact(1, move("PENDING", "IN_PROGRESS", 0, 34, "")),
		transact(2, move("IN_PROGRESS", "COMPLETED", 34, 79, `{"M":{"totalWords":{"N":"678"},"uniqueWords":{"N":"317"},"avgWordLength":{"N":"3.94"},"top10Words":{"L":[`+
			strings.Join(words, ",")+`]}}}`)),
	}
}

// BenchmarkSmallText is the engine's part of a small text with 32 in flight. It
// reports the process's time, which counts whoever waits for the disk as idle.
func BenchmarkSmallText(b *testing.B) {
	engine := benchEngine(b, dynamolite.SyncEveryCommit)
	call(b, engine, "CreateTable", `{"TableName":"files","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],`+
		`"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`)
	texts := make([][3]string, b.N)
	for i := range texts {
		texts[i] = transactions(i)
	}
	var next atomic.Int64
	b.SetParallelism(16) // times GOMAXPROCS
	b.ReportAllocs()
	before := processTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for _, body := range texts[next.Add(1)-1] {
				call(b, engine, "TransactWriteItems", body)
			}
		}
	})
	b.ReportMetric((processTime(b)-before)/float64(b.N), "cpu-µs/op")
}

// processTime is the time in µs that the process has had of the processors.
func processTime(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e3
}
