package outcomes

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// ItemsFollowTheSeed proves that both items have the attributes and types that the seed 000-text-analyzer defines for
// each state, and no others.
func ItemsFollowTheSeed(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	text := system.RandomText(121, 1000)
	const name = "résumé #1 / draft.txt"
	pending := system.Reserve(t, c, name, "text/plain", text)
	completed := system.UploadPresigned(t, c, name, "text/plain", []byte(text))
	empty := system.UploadMultipart(t, c, name, "text/plain", nil)
	failed := system.UploadMultipart(t, c, name, "application/pdf", []byte("%PDF-1.4\n"))
	for _, id := range []string{completed.FileID, empty.FileID, failed.FileID} {
		system.Await(t, c, id)
	}
	always := map[string]string{
		"PK": "S", "SK": "S", "fileId": "S", "ownerId": "S", "s3Bucket": "S", "s3Key": "S", "originalFileName": "S",
		"status": "S", "createdAt": "N", "updatedAt": "N",
	}
	for id, c := range map[string]struct {
		status, metaMore, historyMore string
	}{
		pending.FileID: {status: client.Pending}, completed.FileID: {status: client.Completed, metaMore: "result"},
		empty.FileID:  {status: client.Completed, metaMore: "result"},
		failed.FileID: {status: client.Failed, metaMore: "errorMessage", historyMore: "errorMessage"},
	} {
		kinds := map[string]string{"result": "M", "errorMessage": "S"}
		meta, history := s.Meta(t, id), s.History(t, owner, id)
		for _, each := range []struct {
			item   system.Item
			pk, sk string
			more   string
		}{{meta, "FILE#" + id, "META", c.metaMore}, {history, "OWNER#" + owner, "FILE#" + id, c.historyMore}} {
			want := maps.Clone(always)
			if each.more != "" {
				want[each.more] = kinds[each.more]
			}
			if got := system.KindsOf(each.item); !maps.Equal(got, want) {
				t.Errorf("%s item %s has the attributes %v, want %v", c.status, each.sk, got, want)
			}
			for attr, want := range map[string]string{
				"PK": each.pk, "SK": each.sk, "fileId": id, "ownerId": owner, "originalFileName": name, "s3Bucket": s.Bucket,
				"status": c.status, "s3Key": system.Attribute(t, meta, "s3Key"), "updatedAt": system.Attribute(t, meta, "updatedAt"),
			} {
				if got := system.Attribute(t, each.item, attr); got != want {
					t.Errorf("%s of %s is %q, want %q", attr, each.sk, got, want)
				}
			}
			checkTimes(t, each.item)
		}
		if key := system.Attribute(t, meta, "s3Key"); !regexp.MustCompile(`^files/[0-9a-f]{2}/` + id + `/[0-9a-z-]+$`).MatchString(key) {
			t.Errorf("s3Key is %q, want files/<two digits>/<file id>/<characters that need no encoding>", key)
		}
	}
	checkStored(t, s.Meta(t, completed.FileID), len(text), system.Count(text))
	checkStored(t, s.Meta(t, empty.FileID), 0, client.Result{})
}

// checkTimes checks that createdAt is within the last 10 minutes in epoch milliseconds, and that updatedAt is not before
// createdAt.
func checkTimes(t *testing.T, i system.Item) {
	t.Helper()
	var created, updated int64
	if _, err := fmt.Sscan(system.Attribute(t, i, "createdAt")+" "+system.Attribute(t, i, "updatedAt"), &created, &updated); err != nil {
		t.Fatal(err)
	}
	if age := time.Since(time.UnixMilli(created)); age < -time.Minute || age > 10*time.Minute || updated < created {
		t.Errorf("createdAt %d, updatedAt %d; want a recent creation, and no earlier update", created, updated)
	}
}

// checkStored compares the values and types of the map result with the expected result of a file of size bytes. The seed does
// not have the charset and the size, which an empty file does not have.
func checkStored(t *testing.T, meta system.Item, size int, want client.Result) {
	t.Helper()
	stored, ok := meta["result"].(*types.AttributeValueMemberM)
	if !ok {
		t.Fatalf("result is a %T, want a map", meta["result"])
	}
	kinds := map[string]string{"totalWords": "N", "uniqueWords": "N", "avgWordLength": "N", "top10Words": "L", "charset": "S", "charsetSource": "S"}
	if size > 0 {
		kinds["size"] = "N"
		if got := system.Attribute(t, stored.Value, "size"); got != fmt.Sprint(size) {
			t.Errorf("size is %s, want %d", got, size)
		}
	}
	if got := system.KindsOf(stored.Value); !maps.Equal(got, kinds) {
		t.Errorf("result has the attributes %v, want %v", got, kinds)
	}
	for attr, want := range map[string]any{"totalWords": want.TotalWords, "uniqueWords": want.UniqueWords, "avgWordLength": want.AvgWordLength} {
		if got := system.Attribute(t, stored.Value, attr); got != fmt.Sprint(want) {
			t.Errorf("%s is %s, want %v", attr, got, want)
		}
	}
	list, ok := stored.Value["top10Words"].(*types.AttributeValueMemberL)
	if !ok || len(list.Value) != len(want.Top10Words) {
		t.Fatalf("top10Words is %s, want a list of %d", system.JSON(stored.Value["top10Words"]), len(want.Top10Words))
	}
	for i, entry := range list.Value {
		pair, ok := entry.(*types.AttributeValueMemberM)
		if !ok || !maps.Equal(system.KindsOf(pair.Value), map[string]string{"word": "S", "count": "N"}) ||
			system.Attribute(t, pair.Value, "word") != want.Top10Words[i].Word || system.Attribute(t, pair.Value, "count") != fmt.Sprint(want.Top10Words[i].Count) {
			t.Errorf("top10Words[%d] is %s, want %v", i, system.JSON(entry), want.Top10Words[i])
		}
	}
}

// tableFollowsTheSeed: the table has two string keys and no index.
func tableFollowsTheSeed(t *testing.T, s system.System) {
	tables, err := s.Tables().ListTables(system.Within(t), &dynamodb.ListTablesInput{})
	want := slices.Sorted(slices.Values([]string{"assay-platform", "leanda-ng-dev-files", "leanda-ng-dev-nodes", "leanda-ng-dev-workflow-state", "photoeditor-dev-jobs", "sentiment-items-dashboard", "sentiment-items-primary", s.Table}))
	if err != nil || !slices.Equal(tables.TableNames, want) {
		t.Errorf("tables %v, %v; want %v", tables, err, want)
	}
	out, err := s.Tables().DescribeTable(system.Within(t), &dynamodb.DescribeTableInput{TableName: &s.Table})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(out.Table.GlobalSecondaryIndexes) + len(out.Table.LocalSecondaryIndexes); n != 0 {
		t.Errorf("the table has %d indexes, want 0", n)
	}
	var keys []string
	for _, key := range out.Table.KeySchema {
		keys = append(keys, *key.AttributeName+" "+string(key.KeyType))
	}
	for _, attr := range out.Table.AttributeDefinitions {
		keys = append(keys, *attr.AttributeName+" "+string(attr.AttributeType))
	}
	if want := []string{"PK HASH", "SK RANGE", "PK S", "SK S"}; !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
}
