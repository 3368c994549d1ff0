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

// write is a write request as the AWS SDK sends it.
type write struct{ operation, body string }

// moves returns the writes for a small text from its upload to its result. They put,
// claim and complete its item and the entry in its owner's list.
func moves(i int) (moves [3][2]write, token string) {
	file, token := fmt.Sprintf("01a1ffc1-d663-7615-%012d", i*7919), fmt.Sprintf("91b2ef63-b237-4b3c-a3ab-%011d", i)
	owner := fmt.Sprintf("01a1fe64-5c90-72e1-8805-%012d", i%32)
	keys := [2]string{
		`"SK":{"S":"META"},"PK":{"S":"FILE#` + file + `"}`,
		`"SK":{"S":"FILE#` + file + `"},"PK":{"S":"OWNER#` + owner + `"}`,
	}
	move := func(from, to string, seen, next int, value string) (writes [2]write) {
		for n, key := range keys {
			name, set, result := "", "", ""
			if n == 0 && value != "" {
				name, set, result = `"#0":"result",`, ", #0 = :0", `,":0":`+value
			}
			writes[n] = write{"Update", `{"ConditionExpression":"#status IN (:from0) AND #fence = :seen","ExpressionAttributeNames":{"#gone0":"errorMessage",` + name +
				`"#status":"status","#fence":"updatedAt"},"ExpressionAttributeValues":{":to":{"S":"` + to + `"},":from0":{"S":"` + from + `"},":seen":{"N":"` +
				fmt.Sprint(1795292255844+seen) + `"},":next":{"N":"` + fmt.Sprint(1795292255844+next) + `"}` + result + `},"Key":{` + key +
				`},"ReturnValuesOnConditionCheckFailure":"ALL_OLD","TableName":"files","UpdateExpression":"SET #status = :to, #fence = :next` + set + ` REMOVE #gone0"}`}
		}
		return writes
	}
	words := make([]string, 10)
	for w := range words {
		words[w] = fmt.Sprintf(`{"M":{"count":{"N":"%d"},"word":{"S":"word%d"}}}`, 40-3*w, w)
	}
	for n, key := range keys {
		moves[0][n] = write{"Put", `{"ConditionExpression":"attribute_not_exists(PK)","Item":{"createdAt":{"N":"1795292255844"},"updatedAt":{"N":"1795292255844"},` + key +
			`,"fileId":{"S":"` + file + `"},"ownerId":{"S":"` + owner + `"},"s3Bucket":{"S":"assay-files"},"s3Key":{"S":"files/` + file +
			`/4096-f04fd0c7807d876b29221e8be884adaf"},"originalFileName":{"S":"small.txt"},"status":{"S":"PENDING"}},"TableName":"files"}`}
	}
	moves[1] = move("PENDING", "IN_PROGRESS", 0, 34, "")
	moves[2] = move("IN_PROGRESS", "COMPLETED", 34, 79, `{"M":{"totalWords":{"N":"678"},"uniqueWords":{"N":"317"},"avgWordLength":{"N":"3.94"},"top10Words":{"L":[`+
		strings.Join(words, ",")+`]}}}`)
	return moves, token
}

// transactions returns the writes of a small text as one request for both items of
// each move.
func transactions(i int) (writes []write) {
	moves, token := moves(i)
	for n, move := range moves {
		writes = append(writes, write{"TransactWriteItems", fmt.Sprintf(`{"ClientRequestToken":"%s%d","TransactItems":[{"%s":%s},{"%s":%s}]}`,
			token, n, move[0].operation, move[0].body, move[1].operation, move[1].body)})
	}
	return writes
}

// singleWrites returns the writes of a small text as one request for each item.
func singleWrites(i int) (writes []write) {
	moves, _ := moves(i)
	for _, move := range moves {
		for _, w := range move {
			writes = append(writes, write{w.operation + "Item", w.body})
		}
	}
	return writes
}

// BenchmarkSmallText measures the engine's share of processing a small text, with 32
// texts in flight, with transactions and with single writes. It reports the CPU time of
// the process, which excludes waits for the disk.
func BenchmarkSmallText(b *testing.B) {
	for name, writes := range map[string]func(int) []write{"Transactions": transactions, "SingleWrites": singleWrites} {
		b.Run(name, func(b *testing.B) { smallTexts(b, writes) })
	}
}

func smallTexts(b *testing.B, writes func(int) []write) {
	engine := benchEngine(b, dynamolite.SyncEveryCommit)
	call(b, engine, "CreateTable", `{"TableName":"files","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],`+
		`"KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}`)
	texts := make([][]write, b.N)
	for i := range texts {
		texts[i] = writes(i)
	}
	var next atomic.Int64
	b.SetParallelism(16) // goroutines for each of GOMAXPROCS
	b.ReportAllocs()
	before := processTime(b)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for _, w := range texts[next.Add(1)-1] {
				call(b, engine, w.operation, w.body)
			}
		}
	})
	b.ReportMetric((processTime(b)-before)/float64(b.N), "cpu-µs/op")
}

// processTime returns the CPU time of the process in µs.
func processTime(b *testing.B) float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e3
}
