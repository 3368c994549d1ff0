package photojob

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// The table, its keys, indexes and time to live match the seed.
func TestTableMatchesSeed(t *testing.T) {
	r := open(t)
	name := "photoeditor-dev-jobs"
	found, err := r.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	keysOf := func(schema []types.KeySchemaElement) (names []string) {
		for _, k := range schema {
			names = append(names, *k.AttributeName)
		}
		return names
	}
	if got := keysOf(found.Table.KeySchema); !slices.Equal(got, []string{"jobId"}) {
		t.Errorf("got key %q, want jobId", got)
	}
	indexes := map[string][]string{}
	for _, index := range found.Table.GlobalSecondaryIndexes {
		indexes[*index.IndexName] = keysOf(index.KeySchema)
		if index.Projection.ProjectionType != types.ProjectionTypeAll {
			t.Errorf("%s: got projection %s, want %s", *index.IndexName, index.Projection.ProjectionType, types.ProjectionTypeAll)
		}
	}
	want := map[string][]string{"userId-createdAt-index": {"userId", "createdAt"}, "status-createdAt-index": {"status", "createdAt"}}
	if !reflect.DeepEqual(indexes, want) {
		t.Errorf("got indexes %q, want %q", indexes, want)
	}
	ttl, err := r.db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil || *ttl.TimeToLiveDescription.AttributeName != "ttl" {
		t.Errorf("time to live: got %+v, error %v, want ttl", ttl, err)
	}
}

// Attributes are named as in the seed, and absent where the seed requires it.
func TestItemsMatchSeed(t *testing.T) {
	r := open(t)
	job := r.in(Completed)
	row := r.row(job.JobID)
	names := slices.Sorted(maps.Keys(row))
	want := []string{
		"analysisResult", "calls", "createdAt", "editResult", "fileSize", "fileType", "jobId", "options", "originalFileName", "processingCompletedAt",
		"processingStartedAt", "prompt", "provider", "s3FinalKey", "s3TempKey", "status", "ttl", "updatedAt", "userId",
	}
	if !slices.Equal(names, want) {
		t.Errorf("got attributes %q, want %q", names, want)
	}
	if got := number(t, row["ttl"]); got != "1802951500" { // createdAt in seconds plus 90 days
		t.Errorf("got ttl %s, want 1802951500", got)
	}
	result, ok := row["analysisResult"].(*types.AttributeValueMemberM)
	if !ok || !reflect.DeepEqual(result.Value["labels"], &types.AttributeValueMemberL{Value: []types.AttributeValue{}}) {
		t.Errorf("got analysisResult %v, want an empty list of labels", row["analysisResult"])
	}
	failed := r.row(r.in(Failed).JobID)["error"].(*types.AttributeValueMemberM).Value
	if got := slices.Sorted(maps.Keys(failed)); !slices.Equal(got, []string{"code", "message", "retryCount"}) {
		t.Errorf("got attributes %q of error, want code, message and retryCount", got)
	}
}

func number(t *testing.T, value table.Value) string {
	t.Helper()
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		t.Fatalf("got value %v, want a number", value)
	}
	return n.Value
}

// An item with only the attributes that the seed requires is a valid job.
func TestItemOfAnotherProgram(t *testing.T) {
	r := open(t)
	id := "01HF9GXXX0000000000000000A"
	item := map[string]table.Value{
		"jobId": table.Text(id), "userId": table.Text("user-12345"), "status": table.Text("QUEUED"), "createdAt": table.Integer(1795175500000),
		"updatedAt": table.Integer(1795175500000), "fileSize": table.Integer(5), "fileType": table.Text("image/png"), "provider": table.Text("stub"),
		"ttl": table.Integer(1802951500),
	}
	if _, err := r.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &r.table, Item: item}); err != nil {
		t.Fatal(err)
	}
	job, err := r.Claim(t.Context(), r.get(id))
	if err != nil {
		t.Fatal(err)
	}
	if job, err = r.Begin(t.Context(), job, Call{Step: StepEdit, Provider: Stub}); err != nil {
		t.Fatal(err)
	}
	if job, err = completed(r.Store, t, job); err != nil || job.Route() != Stub {
		t.Errorf("got %+v, error %v, want route %s", job, err, Stub)
	}
}

func TestOneConcurrentCreateSucceeds(t *testing.T) {
	r := open(t)
	const clients = 50
	results := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			id, err := NewID("ann", "key-1")
			if err == nil {
				_, err = r.Create(t.Context(), portrait.Job(id, "ann"))
			}
			results[i] = err
		})
	}
	all.Wait()
	created := 0
	for _, err := range results {
		if err == nil {
			created++
		} else if !errors.Is(err, lifecycle.ErrExists) {
			t.Error(err)
		}
	}
	if created != 1 {
		t.Errorf("got %d callers that created the job, want 1", created)
	}
}

func TestDeleteReturnsTheJob(t *testing.T) {
	r := open(t)
	job := r.in(Editing)
	deleted, err := r.Delete(t.Context(), job.JobID)
	if err != nil || !reflect.DeepEqual(deleted, job) {
		t.Errorf("got %+v, error %v, want %+v", deleted, err, job)
	}
	if _, err := r.Delete(t.Context(), job.JobID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("the second delete: got error %v, want ErrNotFound", err)
	}
	if _, err := completed(r.Store, t, job); !errors.Is(err, lifecycle.ErrNotFound) || r.row(job.JobID) != nil {
		t.Errorf("a move of a deleted job: got error %v, or recreated the job, want ErrNotFound and no job", err)
	}
}

// An expired job is hidden, even before the table has removed it.
func TestExpiredJobsAreHidden(t *testing.T) {
	r := open(t)
	job := r.in(Completed)
	r.clock = time.Unix(job.TTL, 0)
	if _, err := r.Get(t.Context(), job.JobID); !errors.Is(err, lifecycle.ErrNotFound) {
		t.Errorf("got error %v, want ErrNotFound", err)
	}
	page, err := r.List(t.Context(), Listing{UserID: "ann"})
	if err != nil || len(page.Jobs) != 0 {
		t.Errorf("got %d jobs in the list, error %v, want 0", len(page.Jobs), err)
	}
	scanned, err := r.Scan(t.Context(), "", ScanLimit)
	found, failed := r.Jobs(t.Context(), []string{job.JobID})
	if err != nil || failed != nil || len(scanned.Jobs) != 0 || scanned.Items != 1 || len(found) != 0 {
		t.Errorf("got scan %+v, error %v, jobs %v, error %v, want one item but no jobs", scanned, err, found, failed)
	}
}
