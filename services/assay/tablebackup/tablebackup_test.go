package tablebackup_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/tablebackup"
)

// open starts engines with the tables and buckets of all areas, and returns them with the settings for them.
func open(t *testing.T) (*tablebackup.Source, *dynamodb.Client, []string) {
	t.Helper()
	db, err := embedded.StartDynamoDB(embedded.DynamoDBConfig{Path: filepath.Join(t.TempDir(), "dynamodb.db"), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	store, err := embedded.StartS3(t.Context(), embedded.S3Config{Dir: t.TempDir(), AccessKey: "key", SecretKey: "secret"})
	if err != nil {
		t.Fatal(errors.Join(err, db.Close()))
	}
	environ := []string{
		"ASSAY_NATS_URL=nats://127.0.0.1:1", "ASSAY_DYNAMODB_ENDPOINT=" + db.URL(), "ASSAY_S3_ENDPOINT=" + store.URL(),
		"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret",
	}
	cfg, err := config.Load[setup.Config](environ)
	if err != nil {
		t.Fatal(err)
	}
	source, err := tablebackup.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		source.Close()
		if err := errors.Join(store.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	client := dynamodb.New(dynamodb.Options{BaseEndpoint: aws.String(db.URL()), Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("key", "secret", "")})
	if err := table.EnsureAll(t.Context(), client, source.Schemas); err != nil {
		t.Fatal(err)
	}
	for _, bucket := range source.Buckets {
		if err := bucket.Ensure(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return source, client, environ
}

// key returns the key of an item of the table, with the same value for each string attribute.
func key(in *dynamodb.CreateTableInput, value string) table.Key {
	item := table.Key{}
	for _, element := range in.KeySchema {
		for _, d := range in.AttributeDefinitions {
			if *d.AttributeName != *element.AttributeName {
				continue
			}
			if d.AttributeType == types.ScalarAttributeTypeN {
				item[*d.AttributeName] = table.Integer(1)
			} else {
				item[*d.AttributeName] = table.Text(value)
			}
		}
	}
	return item
}

func TestRestoredTablesHaveTheItemsOfTheBackup(t *testing.T) {
	source, db, _ := open(t)
	ctx := t.Context()
	if len(source.Schemas) < 8 || len(source.Buckets) < 3 {
		t.Fatalf("got %d tables and %d buckets, want at least 8 and 3", len(source.Schemas), len(source.Buckets))
	}
	put := func(schema table.Schema, value string) {
		t.Helper()
		if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: schema.Create.TableName, Item: key(schema.Create, value)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, schema := range source.Schemas {
		put(schema, "before")
	}
	none := func(r tablebackup.Restored) { t.Errorf("got the restored table %+v, want none", r) }
	if err := source.Restore(ctx, "nightly", "-restored", none); !errors.Is(err, tablebackup.ErrIncomplete) {
		t.Errorf("without backups: got %v, want %v", err, tablebackup.ErrIncomplete)
	}
	var made []tablebackup.Backup
	if err := source.Create(ctx, "nightly", func(b tablebackup.Backup) { made = append(made, b) }); err != nil {
		t.Fatal(err)
	}
	for i, b := range made {
		if b.Table != *source.Schemas[i].Create.TableName || b.Items != 1 || !strings.Contains(b.ARN, "/"+b.Table+"/backup/") {
			t.Errorf("got backup %+v, want one of %s with 1 item", b, *source.Schemas[i].Create.TableName)
		}
	}
	for _, schema := range source.Schemas {
		put(schema, "after")
	}
	for range 2 { // a repeated restore finds the tables
		var restored []tablebackup.Restored
		if err := source.Restore(ctx, "nightly", "-restored", func(r tablebackup.Restored) { restored = append(restored, r) }); err != nil {
			t.Fatal(err)
		}
		if len(made) != len(source.Schemas) || len(restored) != len(made) {
			t.Fatalf("got %d backups and %d restored tables, want %d", len(made), len(restored), len(source.Schemas))
		}
		for i, schema := range source.Schemas {
			if got := restored[i]; got != (tablebackup.Restored{Table: made[i].Table, Target: made[i].Table + "-restored", ARN: made[i].ARN}) {
				t.Errorf("got the restored table %+v, want %s-restored from %s", got, made[i].Table, made[i].ARN)
			}
			checkRestored(t, db, schema)
		}
	}
	if err := source.Create(ctx, "other", func(tablebackup.Backup) {}); err != nil {
		t.Fatal(err)
	}
	if err := source.Restore(ctx, "other", "-restored", none); err == nil || !strings.Contains(err.Error(), "the table exists already") {
		t.Errorf("restore of another backup to the same tables: got %v, want an error", err)
	}
}

// checkRestored checks a restored table: its items, indexes, stream and time to live.
func checkRestored(t *testing.T, db *dynamodb.Client, schema table.Schema) {
	t.Helper()
	name := *schema.Create.TableName + "-restored"
	found, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != 1 || fmt.Sprint(found.Items[0]) == "" {
		t.Errorf("%s has %d items, want the one from before the backup", name, len(found.Items))
	}
	out, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	declared := schema.Create.StreamSpecification
	if got := out.Table.StreamSpecification; (got == nil) != (declared == nil) || got != nil && got.StreamViewType != declared.StreamViewType {
		t.Errorf("%s has the stream %+v, want %+v", name, got, declared)
	}
	if got, want := len(out.Table.GlobalSecondaryIndexes), len(schema.Create.GlobalSecondaryIndexes); got != want {
		t.Errorf("%s has %d indexes, want %d", name, got, want)
	}
	ttl, err := db.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	if got := aws.ToString(ttl.TimeToLiveDescription.AttributeName); got != schema.TTL {
		t.Errorf("%s expires items by %q, want %q", name, got, schema.TTL)
	}
}

func TestRecoveriesAndVersions(t *testing.T) {
	source, _, _ := open(t)
	ctx := t.Context()
	declared := map[string]bool{} // tables whose recovery is enabled when they are created
	for _, schema := range source.Schemas {
		declared[*schema.Create.TableName] = schema.Recovery
	}
	for i, enable := range []bool{false, true, false} {
		all, err := source.Recoveries(ctx, enable)
		if err != nil || len(all) != len(source.Schemas) {
			t.Fatalf("got %d tables, error %v, want %d", len(all), err, len(source.Schemas))
		}
		for _, r := range all {
			want := declared[r.Table] || i > 0
			if r.Enabled != want || r.Earliest.IsZero() == want || r.Latest.Before(r.Earliest) {
				t.Errorf("call %d, enable = %v: got %+v, want enabled = %v", i, enable, r, want)
			}
		}
	}
	err := source.Export(ctx, "exports", "assay", func(e tablebackup.Export) { t.Errorf("got export %+v, want none", e) })
	for _, schema := range source.Schemas { // the embedded engine does not export
		if want := "table " + *schema.Create.TableName + ": export: "; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	buckets, err := source.Versionings(ctx)
	if err != nil || len(buckets) != len(source.Buckets) {
		t.Fatalf("got %d buckets, error %v, want %d", len(buckets), err, len(source.Buckets))
	}
	for _, bucket := range buckets { // the embedded S3 server keeps no versions
		if bucket.Enabled {
			t.Errorf("got versioning of %s enabled, want disabled", bucket.Bucket)
		}
	}
}

func TestEveryTableHasASetting(t *testing.T) {
	settings, err := tablebackup.Settings([]string{"ASSAY_NATS_URL=nats://127.0.0.1:1", "ASSAY_ENV=prod", "ASSAY_FEED_TABLE=items"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"items": "ASSAY_FEED_TABLE", "photoeditor-prod-jobs": "ASSAY_PHOTOJOB_TABLE", "leanda-ng-prod-nodes": "LEANDA_NODES_TABLE", "assay-platform": "ASSAY_PLATFORM_TABLE",
	} {
		if got := settings[name]; got != want {
			t.Errorf("the setting of %s is %q, want %q", name, got, want)
		}
	}
}
