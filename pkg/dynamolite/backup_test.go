package dynamolite_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// all returns the items of a table by their attribute id.
func (s *service) all(table string) map[string]object {
	s.t.Helper()
	found := map[string]object{}
	pages := dynamodb.NewScanPaginator(s, &dynamodb.ScanInput{TableName: &table})
	for pages.HasMorePages() {
		for _, it := range must(pages.NextPage(s.t.Context()))(s.t).Items {
			found[text(it, "id")] = it
		}
	}
	return found
}

// fill puts n items of about size bytes.
func (s *service) fill(table string, n, size int) {
	s.t.Helper()
	for first := 0; first < n; first += 25 {
		var puts []types.WriteRequest
		for i := first; i < min(n, first+25); i++ {
			it := item("id", fmt.Sprint(i), "kind", "k", "n", i, "text", strings.Repeat("x", size))
			puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: it}})
		}
		must(s.BatchWriteItem(s.t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{table: puts}}))(s.t)
	}
}

func (s *service) remove(table string, key object) {
	s.t.Helper()
	must(s.DeleteItem(s.t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: key}))(s.t)
}

// backup begins a backup and returns its ARN.
func (s *service) backup(table, name string) string {
	s.t.Helper()
	details := must(s.CreateBackup(s.t.Context(), &dynamodb.CreateBackupInput{TableName: &table, BackupName: &name}))(s.t).BackupDetails
	if details.BackupStatus != types.BackupStatusCreating || *details.BackupName != name || details.BackupType != types.BackupTypeUser {
		s.t.Errorf("CreateBackup: got %+v, want a backup that is being created", details)
	}
	return *details.BackupArn
}

func (s *service) describedBackup(arn string) *types.BackupDescription {
	s.t.Helper()
	return must(s.DescribeBackup(s.t.Context(), &dynamodb.DescribeBackupInput{BackupArn: &arn}))(s.t).BackupDescription
}

// restore begins to restore a backup.
func (s *service) restore(arn, target string) *types.TableDescription {
	s.t.Helper()
	return must(s.RestoreTableFromBackup(s.t.Context(), &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: &target}))(s.t).TableDescription
}

// sweep completes backups and restores.
func (s *service) sweep() {
	s.t.Helper()
	if err := s.engine.Sweep(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// intact fails the test if the file has a problem.
func (s *service) intact() {
	s.t.Helper()
	if _, err := s.engine.Check(func(problem string) { s.t.Errorf("Check found: %s", problem) }); err != nil {
		s.t.Error(err)
	}
}

// TestBackupHasTheItemsOfItsStart changes a table while a backup is being created, and then while it is restored.
func TestBackupHasTheItemsOfItsStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	s := start(t, dynamolite.Options{Path: path, SweepInterval: -1}) // only sweep copies items
	s.table("left", "id:S", "", withIndex("by_n", "kind:S", "n:N", types.ProjectionTypeAll), withStream(types.StreamViewTypeKeysOnly))
	s.fill("left", 1200, 300)
	want := s.all("left")
	arn := s.backup("left", "nightly")
	for i := range 300 {
		s.put("left", item("id", fmt.Sprint(i), "kind", "changed"))
		s.put("left", item("id", fmt.Sprint("new", i), "kind", "new"))
		s.remove("left", item("id", fmt.Sprint(500+i)))
	}
	s.put("left", item("id", "500", "kind", "again"))
	s.remove("left", item("id", "new1"))
	s.put("left", item("id", "new1", "kind", "again"))
	now := s.all("left")
	s.intact()
	s.sweep()
	s.intact()
	described := s.describedBackup(arn)
	if d := described.BackupDetails; d.BackupStatus != types.BackupStatusAvailable || *d.BackupSizeBytes == 0 || *described.SourceTableDetails.ItemCount != 1200 {
		t.Errorf("got backup %+v of %d items, want an available one of 1200", d, *described.SourceTableDetails.ItemCount)
	}
	if got := s.all("left"); !reflect.DeepEqual(got, now) {
		t.Errorf("the table has %d items after the backup, want the %d from before", len(got), len(now))
	}

	target := s.restore(arn, "right")
	if summary := target.RestoreSummary; target.TableStatus != types.TableStatusCreating || !*summary.RestoreInProgress || *summary.SourceBackupArn != arn {
		t.Errorf("RestoreTableFromBackup: got %+v, want a table that is being created", target)
	}
	_, err := s.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("right"), Key: item("id", "1")})
	wantError(t, err, "ResourceNotFoundException")
	s.sweep()
	s.intact()
	if got := s.all("right"); !reflect.DeepEqual(got, want) {
		t.Errorf("the restored table has %d items, want the %d from the start of the backup", len(got), len(want))
	}
	indexed, _ := s.pages(dynamodb.QueryInput{
		TableName: aws.String("right"), IndexName: aws.String("by_n"), KeyConditionExpression: aws.String("kind = :k"), ExpressionAttributeValues: item(":k", "k"),
	})
	if len(indexed) != 1200 {
		t.Errorf("the index of the restored table has %d items, want 1200", len(indexed))
	}
	table := must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("right")}))(t).Table
	if table.TableStatus != types.TableStatusActive || *table.ItemCount != 1200 || *table.RestoreSummary.RestoreInProgress || table.StreamSpecification != nil {
		t.Errorf("got restored table %+v, want an active one of 1200 items without a stream", table)
	}
	s.put("right", item("id", "1", "kind", "k"))
	s.remove("right", item("id", "2"))
	s.intact()
}

// TestBackupDuringTransfers takes backups while clients transfer amounts between accounts. The sum of each restored
// table is that of the accounts.
func TestBackupDuringTransfers(t *testing.T) {
	const accounts, clients, backups, total = 50, 4, 3, 5000
	s := start(t, dynamolite.Options{Path: filepath.Join(t.TempDir(), "db")})
	s.table("left", "id:S", "")
	s.fill("left", 2000, 500) // so that a backup takes several commits
	for i := range accounts {
		s.put("left", item("id", fmt.Sprint("account", i), "amount", total/accounts))
	}
	stop, failed := make(chan struct{}), make(chan error, clients)
	for client := range clients {
		go func() {
			for i := client; ; i++ {
				select {
				case <-stop:
					failed <- nil
					return
				default:
				}
				if err := s.transfer(fmt.Sprint("account", i%accounts), fmt.Sprint("account", (i*7+1)%accounts)); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	for i := range backups {
		arn := s.backup("left", fmt.Sprint("backup-", i))
		s.await(func() bool { return s.describedBackup(arn).BackupDetails.BackupStatus == types.BackupStatusAvailable })
		name := fmt.Sprint("right", i)
		s.restore(arn, name)
		s.await(func() bool {
			return must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}))(t).Table.TableStatus == types.TableStatusActive
		})
		sum, items := 0, s.all(name)
		for _, it := range items {
			n, err := strconv.Atoi("0" + text(it, "amount")) // other items have none
			if err != nil {
				t.Error(err)
			}
			sum += n
		}
		if sum != total || len(items) != 2000+accounts {
			t.Errorf("backup %d has %d items with a sum of %d, want %d with %d", i, len(items), sum, 2000+accounts, total)
		}
	}
	close(stop)
	for range clients {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	s.intact()
}

// transfer moves 1 from one account to another, unless the first is empty or they are the same.
func (s *service) transfer(from, to string) error {
	if from == to {
		return nil
	}
	add := func(id string, n int, condition string) types.TransactWriteItem {
		return types.TransactWriteItem{Update: &types.Update{
			TableName: aws.String("left"), Key: item("id", id), UpdateExpression: aws.String("ADD amount :n"),
			ConditionExpression: aws.String(condition), ExpressionAttributeValues: item(":n", n, ":least", max(0, -n)),
		}}
	}
	_, err := s.TransactWriteItems(s.t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		add(from, -1, "amount >= :least"), add(to, 1, "amount >= :least"),
	}})
	if err != nil && strings.Contains(err.Error(), "ConditionalCheckFailed") {
		return nil
	}
	return err
}

// await returns when done reports true, at most after 2 minutes.
func (s *service) await(done func() bool) {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(2 * time.Minute)
	for !done() {
		select {
		case <-tick.C:
		case <-limit:
			s.t.Fatal("a backup or restore is incomplete after 2 minutes")
		}
	}
}

func TestBackupsAreListedAndDeleted(t *testing.T) {
	clock := newClock()
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1, Clock: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	s, ctx := serve(t, engine), t.Context()
	if got := must(s.ListBackups(ctx, &dynamodb.ListBackupsInput{}))(t).BackupSummaries; len(got) != 0 {
		t.Errorf("without backups: got %d, want none", len(got))
	}
	var arns []string
	for _, table := range []string{"left", "right"} {
		s.table(table, "id:S", "")
		s.fill(table, 10, 10)
		for i := range 3 {
			arns = append(arns, s.backup(table, fmt.Sprint("backup", i)))
			s.sweep()
			clock.Advance(time.Hour)
		}
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	s = start(t, dynamolite.Options{Path: path, SweepInterval: -1, Clock: clock.Now})
	list := func(in dynamodb.ListBackupsInput) (found []string) {
		t.Helper()
		for {
			page := must(s.ListBackups(ctx, &in))(t)
			for _, b := range page.BackupSummaries {
				found = append(found, *b.BackupArn)
			}
			if in.ExclusiveStartBackupArn = page.LastEvaluatedBackupArn; in.ExclusiveStartBackupArn == nil {
				return found
			}
		}
	}
	began := newClock().Now()
	for _, c := range []struct {
		in   dynamodb.ListBackupsInput
		want []string
	}{
		{dynamodb.ListBackupsInput{}, arns},
		{dynamodb.ListBackupsInput{Limit: aws.Int32(2)}, arns},
		{dynamodb.ListBackupsInput{TableName: aws.String("right"), Limit: aws.Int32(2)}, arns[3:]},
		{dynamodb.ListBackupsInput{TimeRangeLowerBound: aws.Time(began.Add(time.Hour)), TimeRangeUpperBound: aws.Time(began.Add(3 * time.Hour))}, arns[1:3]},
		{dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterSystem}, nil},
		{dynamodb.ListBackupsInput{BackupType: types.BackupTypeFilterAll, TableName: aws.String("left")}, arns[:3]},
	} {
		if got := list(c.in); !slices.Equal(got, c.want) {
			t.Errorf("ListBackups %+v: got %q, want %q", c.in, got, c.want)
		}
	}
	deleted := must(s.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arns[1]}))(t).BackupDescription
	if deleted.BackupDetails.BackupStatus != types.BackupStatusDeleted || *deleted.SourceTableDetails.ItemCount != 10 {
		t.Errorf("DeleteBackup: got %+v, want a deleted backup of 10 items", deleted)
	}
	for _, err := range []error{
		failure(s.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arns[1]})),
		failure(s.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: &arns[1]})),
		failure(s.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arns[1], TargetTableName: aws.String("target")})),
	} {
		wantError(t, err, "BackupNotFoundException")
	}
	if got := list(dynamodb.ListBackupsInput{TableName: aws.String("left")}); !slices.Equal(got, []string{arns[0], arns[2]}) {
		t.Errorf("after the deletion: got %q, want the other two", got)
	}
	must(s.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("left")}))(t)
	s.restore(arns[0], "left")
	s.sweep()
	if got := s.all("left"); len(got) != 10 {
		t.Errorf("the table restored after its deletion has %d items, want 10", len(got))
	}
	s.intact()
}

func failure[T any](_ T, err error) error { return err }

func TestConflictingBackups(t *testing.T) {
	s := start(t, dynamolite.Options{SweepInterval: -1})
	ctx, left := t.Context(), aws.String("left")
	s.table("left", "id:S", "", withIndex("by_n", "kind:S", "n:N", types.ProjectionTypeAll), withIndex("by_kind", "kind:S", "", types.ProjectionTypeKeysOnly))
	s.fill("left", 10, 10)
	arn := s.backup("left", "one")
	for _, err := range []error{
		failure(s.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: left, BackupName: aws.String("two")})),
		failure(s.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})),
		failure(s.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: aws.String("right")})),
	} {
		wantError(t, err, "BackupInUseException")
	}
	wantError(t, failure(s.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: left})), "ResourceInUseException")
	s.sweep()
	restore := func(in dynamodb.RestoreTableFromBackupInput) error {
		in.BackupArn, in.TargetTableName = &arn, aws.String("right")
		return failure(s.RestoreTableFromBackup(ctx, &in))
	}
	wantError(t, failure(s.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arn, TargetTableName: left})), "TableAlreadyExistsException")
	wantError(t, restore(dynamodb.RestoreTableFromBackupInput{BillingModeOverride: types.BillingModeProvisioned}), "ValidationException")
	other := types.GlobalSecondaryIndex{IndexName: aws.String("by_kind"), KeySchema: keys("kind:S", ""), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}}
	wantError(t, restore(dynamodb.RestoreTableFromBackupInput{GlobalSecondaryIndexOverride: []types.GlobalSecondaryIndex{other}}), "ValidationException")
	other.IndexName = aws.String("by_other")
	wantError(t, restore(dynamodb.RestoreTableFromBackupInput{GlobalSecondaryIndexOverride: []types.GlobalSecondaryIndex{other}}), "ValidationException")
	other.IndexName, other.Projection.ProjectionType = aws.String("by_kind"), types.ProjectionTypeKeysOnly
	if err := restore(dynamodb.RestoreTableFromBackupInput{
		GlobalSecondaryIndexOverride: []types.GlobalSecondaryIndex{other}, BillingModeOverride: types.BillingModeProvisioned,
		ProvisionedThroughputOverride: &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(3), WriteCapacityUnits: aws.Int64(4)},
		SSESpecificationOverride:      &types.SSESpecification{Enabled: aws.Bool(true)},
	}); err != nil {
		t.Fatal(err)
	}
	right := aws.String("right")
	wantError(t, failure(s.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn})), "BackupInUseException")
	wantError(t, failure(s.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: right})), "ResourceInUseException")
	wantError(t, failure(s.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: right, DeletionProtectionEnabled: aws.Bool(true)})), "ResourceInUseException")
	wantError(t, failure(s.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: aws.String(tableARN + "right"), Tags: tagsOf("a", "b")})), "ResourceInUseException")
	wantError(t, failure(s.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: right, BackupName: aws.String("two")})), "ContinuousBackupsUnavailableException")
	wantError(t, failure(s.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: aws.String("none"), BackupName: aws.String("two")})), "TableNotFoundException")
	wantError(t, failure(s.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: left, BackupName: aws.String("a b")})), "ValidationException")
	s.sweep()
	described := must(s.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: right}))(t).Table
	if len(described.GlobalSecondaryIndexes) != 1 || len(described.AttributeDefinitions) != 2 || *described.ProvisionedThroughput.WriteCapacityUnits != 4 ||
		described.SSEDescription == nil || described.BillingModeSummary != nil {
		t.Errorf("got restored table %+v, want the overridden index, throughput and encryption", described)
	}
	s.intact()
}
