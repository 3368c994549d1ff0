package permissions

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// tablesAreRestored: `assay backup tables` backs up every table, and after the loss of a file services with the restored
// tables serve it. The engine does not support exports, and the S3 server keeps no versions.
func tablesAreRestored(t *testing.T, start system.Starter) {
	c := start(t, system.NoSweep, "ASSAY_PITR=none")
	ingest, query, analyzer := c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "analyzer")
	c.Front(t, ingest, query)
	text := system.RandomText(71, 50)
	owner := system.NewOwner()
	user := c.Client(t, owner)
	kept := system.UploadMultipart(t, user, "kept.txt", "text/plain", []byte(text))
	system.CheckResult(t, system.Await(t, user, kept.FileID), system.Count(text))

	run := func(status int, args ...string) string {
		t.Helper()
		p := system.Launch(t, "assay", c.Environment("backup"), args...)
		if got := p.End(t); got != status {
			t.Fatalf("assay %s: exit status %d, want %d: %s", strings.Join(args, " "), got, status, p.Output)
		}
		return p.Output.String()
	}
	contains := func(output, want string) {
		t.Helper()
		if !strings.Contains(output, want) {
			t.Errorf("got %s, want %q in it", output, want)
		}
	}
	contains(run(1, "backup", "tables", "--check"), "text-analyzer-history  point-in-time recovery  disabled")
	made := run(0, "backup", "tables", "--name", "nightly", "--pitr")
	contains(made, "text-analyzer-history  backup  arn:aws:dynamodb:")
	contains(made, "assay-platform  point-in-time recovery  enabled, from ")
	contains(made, "warning: deleted and replaced objects cannot be restored, because versioning is not enabled for assay-files, ")
	contains(run(1, "backup", "tables", "--export", "s3://exports/assay"), "table assay-platform: export: ")

	for _, service := range []*system.Service{ingest, query, analyzer} {
		service.Kill(t)
	}
	contains(run(1, "restore", "tables", "--backup", "weekly"), "there is no available backup of every table: text-analyzer-history, ")
	restored := run(0, "restore", "tables", "--backup", "nightly")
	var settings []string
	for line := range strings.Lines(restored) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasSuffix(value, "-restored") {
			settings = append(settings, name+"="+value)
		}
	}
	contains(strings.Join(settings, " "), "ASSAY_TEXTFILE_TABLE=text-analyzer-history-restored")
	contains(run(0, "restore", "tables", "--backup", "nightly"), "ASSAY_PLATFORM_TABLE=assay-platform-restored") // again
	c.Identity = func(role string) []string {                                                                    // the policies have the names of the original tables
		return []string{"ASSAY_NATS_USER=" + role, "ASSAY_NATS_PASSWORD=" + role, "AWS_ACCESS_KEY_ID=" + system.AccessKey, "AWS_SECRET_ACCESS_KEY=" + system.SecretKey}
	}
	c.Front(t, c.Service(t, "ingest", settings...), c.Service(t, "query", settings...))
	c.Service(t, "analyzer", settings...)
	user = c.Client(t, owner) // of the new gateway
	system.CheckResult(t, system.Await(t, user, kept.FileID), system.Count(text))
	more := system.UploadMultipart(t, user, "more.txt", "text/plain", []byte(text))
	system.CheckResult(t, system.Await(t, user, more.FileID), system.Count(text))
}

// settingsAreApplied: `assay setup` changes the settings of existing tables.
func settingsAreApplied(t *testing.T, start system.Starter) {
	c := start(t, "ASSAY_PITR=none")
	const key = "arn:aws:kms:eu-central-1:123456789012:key/0190ab12-0000-4000-8000-000000000000"
	setUp := system.Launch(t, "assay", append(c.Environment("setup"), "ASSAY_PITR=all", "ASSAY_KMS_KEY="+key, "ASSAY_TABLE_TAGS=team:search"), "setup")
	if status := setUp.End(t); status != 0 {
		t.Fatalf("assay setup: exit status %d, want 0: %s", status, setUp.Output)
	}
	tables, err := c.Tables().ListTables(system.Within(t), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables.TableNames {
		table, err := c.Tables().DescribeTable(system.Within(t), &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			t.Fatal(err)
		}
		if have := table.Table.SSEDescription; have == nil || aws.ToString(have.KMSMasterKeyArn) != key {
			t.Errorf("table %s has the encryption %+v, want the key %s", name, have, key)
		}
	}
}
