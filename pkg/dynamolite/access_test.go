package dynamolite_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
)

// recorder records the arguments of Allow, and denies the action in deny.
type recorder struct {
	mu   sync.Mutex
	all  []string
	deny string
}

func (a *recorder) allow(access dynamolite.Access) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, resource, _ := strings.Cut(access.Resource, ":table/")
	a.all = append(a.all, strings.TrimSpace(fmt.Sprint(strings.TrimPrefix(access.Action, "dynamodb:"), " ", resource, " ", access.LeadingKey, " ", strings.Join(access.Attributes, ","))))
	return access.Key != "" && (a.deny == "" || access.Action != "dynamodb:"+a.deny)
}

// take returns the accesses recorded since the last call.
func (a *recorder) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.all
	a.all = nil
	return all
}

func (a *recorder) refuse(action string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.deny = action
}

// TestAccess checks which permissions each request requires, and that a request has
// no effect if one of them is denied.
func TestAccess(t *testing.T) {
	a := &recorder{}
	s := start(t, dynamolite.Options{Allow: a.allow})
	ctx := t.Context()
	s.table("tab", "pk:S", "sk:S", withIndex("by_g", "g:S", "", types.ProjectionTypeAll), withStream(types.StreamViewTypeNewImage))
	name, key := aws.String("tab"), item("pk", "a", "sk", "b")
	expect := func(err error, want ...string) {
		t.Helper()
		if got := a.take(); err != nil || !slices.Equal(got, want) {
			t.Errorf("got required permissions %q, error %v, want %q", got, err, want)
		}
	}
	expect(nil, "CreateTable tab")

	_, err := s.PutItem(ctx, &dynamodb.PutItemInput{TableName: name, Item: item("pk", "a", "sk", "b", "g", "c")})
	expect(err, "PutItem tab a g,pk,sk")
	_, err = s.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: name, Key: key, UpdateExpression: aws.String("SET x.#y = :v, z = g"), ConditionExpression: aws.String("attribute_not_exists(q) AND attribute_exists(x)"),
		ExpressionAttributeNames: map[string]string{"#y": "y"}, ExpressionAttributeValues: item(":v", "v"),
	})
	if err == nil {
		t.Error("update of x.y without x: got no error, want one")
	}
	expect(nil, "UpdateItem tab a g,pk,q,sk,x,z")
	_, err = s.GetItem(ctx, &dynamodb.GetItemInput{TableName: name, Key: key, ProjectionExpression: aws.String("g")})
	expect(err, "GetItem tab a g,pk,sk")
	_, err = s.Query(ctx, &dynamodb.QueryInput{
		TableName: name, IndexName: aws.String("by_g"), KeyConditionExpression: aws.String("g = :g"), ExpressionAttributeValues: item(":g", "c"),
	})
	expect(err, "Query tab/index/by_g  g")
	_, err = s.Query(ctx, &dynamodb.QueryInput{
		TableName: name, KeyConditionExpression: aws.String("#p = :p AND begins_with(sk, :s)"),
		ExpressionAttributeNames: map[string]string{"#p": "pk"}, ExpressionAttributeValues: item(":p", "a", ":s", "b"),
	})
	expect(err, "Query tab a pk,sk")
	_, err = s.Scan(ctx, &dynamodb.ScanInput{TableName: name})
	expect(err, "Scan tab")
	_, err = s.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"tab": {Keys: []map[string]types.AttributeValue{key, item("pk", "b", "sk", "c"), item("pk", "a", "sk", "d")}},
	}})
	expect(err, "BatchGetItem tab a", "BatchGetItem tab b")
	_, err = s.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: name, Item: item("pk", "p", "sk", "q")}},
		{Delete: &types.Delete{TableName: name, Key: item("pk", "d", "sk", "q")}},
		{ConditionCheck: &types.ConditionCheck{TableName: name, Key: key, ConditionExpression: aws.String("attribute_exists(pk)")}},
	}})
	expect(err, "PutItem tab p pk,sk", "DeleteItem tab d pk,sk", "ConditionCheckItem tab a pk,sk")
	_, err = s.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: name, Key: key}}}})
	expect(err, "GetItem tab a pk,sk")

	described, err := s.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name})
	expect(err, "DescribeTable tab")
	arn := described.Table.LatestStreamArn
	stream, err := s.streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	_, resource, _ := strings.Cut(*arn, ":table/")
	expect(err, "DescribeStream "+resource)
	iterator, err := s.streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{StreamArn: arn, ShardId: stream.StreamDescription.Shards[0].ShardId, ShardIteratorType: "TRIM_HORIZON"})
	expect(err, "GetShardIterator "+resource)
	_, err = s.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator.ShardIterator})
	expect(err, "GetRecords "+resource)

	table := described.Table.TableArn
	_, err = s.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: table, Tags: tagsOf("a", "b")})
	expect(err, "TagResource tab")
	_, err = s.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: table})
	expect(err, "ListTagsOfResource tab")
	_, err = s.UntagResource(ctx, &dynamodb.UntagResourceInput{ResourceArn: table, TagKeys: []string{"a"}})
	expect(err, "UntagResource tab")
	_, err = s.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: name})
	expect(err, "DescribeContinuousBackups tab")
	backup, err := s.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: name, BackupName: aws.String("backup")})
	expect(err, "CreateBackup tab")
	s.await(func() bool {
		return s.describedBackup(*backup.BackupDetails.BackupArn).BackupDetails.BackupStatus == types.BackupStatusAvailable
	})
	_, resource, _ = strings.Cut(*backup.BackupDetails.BackupArn, ":table/")
	if got := a.take(); got[0] != "DescribeBackup "+resource {
		t.Errorf("got required permission %q, want DescribeBackup of the backup", got[0])
	}
	_, err = s.ListBackups(ctx, &dynamodb.ListBackupsInput{TableName: name})
	expect(err, "ListBackups")
	_, err = s.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: backup.BackupDetails.BackupArn, TargetTableName: aws.String("new")})
	expect(err, "RestoreTableFromBackup "+resource, "BatchWriteItem new", "DeleteItem new", "GetItem new", "PutItem new", "Query new", "Scan new", "UpdateItem new", "RestoreTableFromBackup new")
	s.await(func() bool {
		_, err = s.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: backup.BackupDetails.BackupArn})
		return err == nil
	})
	if got := a.take(); got[0] != "DeleteBackup "+resource {
		t.Errorf("got required permission %q, want DeleteBackup of the backup", got[0])
	}

	a.refuse("DeleteItem") // one action of a transaction
	_, err = s.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: name, Item: item("pk", "n", "sk", "q")}},
		{Delete: &types.Delete{TableName: name, Key: key}},
	}})
	wantError(t, err, "AccessDeniedException")
	if !strings.Contains(err.Error(), "is not authorized to perform: dynamodb:DeleteItem on resource: arn:aws:dynamodb:") {
		t.Errorf("got error %v, want one that names the denied action and its resource", err)
	}
	if s.get("tab", key) == nil || s.get("tab", item("pk", "n", "sk", "q")) != nil {
		t.Error("the rejected transaction took effect, want no change")
	}
}

// TestUnusedParametersDoNotChangeTheResource sends requests with parameters that their operation does not have, and that
// name a table for which the caller has the permission.
func TestUnusedParametersDoNotChangeTheResource(t *testing.T) {
	var allowed string
	s := start(t, dynamolite.Options{Allow: func(a dynamolite.Access) bool { return allowed == "" || a.Resource == allowed }})
	s.table("secret", "pk:S", "")
	s.table("open", "pk:S", "")
	s.put("secret", item("pk", "1"))
	allowed = tableARN + "open"
	for _, extra := range []string{
		`"tablename":"open"`, `"RequestItems":{"open":{"Keys":[]}}`, `"TransactItems":[{"Get":{"TableName":"open"}}]`, `"TransactItems":[{}]`,
		`"StreamArn":"` + allowed + `"`, `"ResourceArn":"` + allowed + `"`, `"TableArn":"` + allowed + `"`, `"BackupArn":"` + allowed + `"`,
		`"SourceTableName":"open"`, `"SourceTableArn":"` + allowed + `"`, `"IndexName":"x"`,
	} {
		response := responseTo(s.engine, "GetItem", `{"TableName":"secret","Key":{"pk":{"S":"1"}},`+extra+`}`)
		if !strings.Contains(response.Body.String(), "AccessDeniedException") {
			t.Errorf("GetItem with %s: got %d %s, want AccessDeniedException", extra, response.Code, response.Body)
		}
	}
	if response := responseTo(s.engine, "GetItem", `{"TableName":"open","Key":{"pk":{"S":"1"}}}`); response.Code != 200 {
		t.Errorf("GetItem of the other table: got %d %s, want 200", response.Code, response.Body)
	}
}
