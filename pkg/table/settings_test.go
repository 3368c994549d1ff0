package table_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

const testKey = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"

// settingsOf returns the tags, the encryption key and the state of point-in-time recovery of a table.
func settingsOf(t *testing.T, db *dynamodb.Client, name string) (tags map[string]string, key string, recovery types.PointInTimeRecoveryStatus) {
	t.Helper()
	described, err := db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := db.ListTagsOfResource(t.Context(), &dynamodb.ListTagsOfResourceInput{ResourceArn: described.Table.TableArn})
	if err != nil {
		t.Fatal(err)
	}
	tags = map[string]string{}
	for _, tag := range listed.Tags {
		tags[*tag.Key] = *tag.Value
	}
	if described.Table.SSEDescription != nil {
		key = aws.ToString(described.Table.SSEDescription.KMSMasterKeyArn)
	}
	backups, err := db.DescribeContinuousBackups(t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: &name})
	if err != nil {
		t.Fatal(err)
	}
	return tags, key, backups.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus
}

// TestSettingsOfNewAndExistingTables checks that a table has the declared settings and those of the user, whether it is created
// with them or existed without.
func TestSettingsOfNewAndExistingTables(t *testing.T) {
	t.Parallel()
	db, _ := tabletest.Start(t)
	plain := table.Schema{Create: schema("doors")}
	if err := table.EnsureAll(t.Context(), db, []table.Schema{plain}); err != nil {
		t.Fatal(err)
	}
	if tags, key, recovery := settingsOf(t, db, "doors"); len(tags) > 0 || key != "" || recovery != types.PointInTimeRecoveryStatusDisabled {
		t.Fatalf("without settings: got tags %v, key %q, recovery %s; want none", tags, key, recovery)
	}
	settings := table.Settings{Key: testKey, Tags: map[string]string{"team": "search", "Name": "ours"}, Recovery: "all"}
	for _, name := range []string{"doors", "windows", "doors"} {
		declared := table.Schema{Create: schema(name)}
		declared.Create.Tags = table.Tags(map[string]string{"Name": name, "kind": "opening"})
		schemas, err := settings.Apply([]table.Schema{declared})
		if err != nil {
			t.Fatal(err)
		}
		if err := table.EnsureAll(t.Context(), db, schemas); err != nil {
			t.Fatal(err)
		}
		tags, key, recovery := settingsOf(t, db, name)
		if len(tags) != 3 || tags["team"] != "search" || tags["Name"] != "ours" || tags["kind"] != "opening" {
			t.Errorf("%s: got tags %v, want those of the schema and of the settings", name, tags)
		}
		if key != testKey || recovery != types.PointInTimeRecoveryStatusEnabled {
			t.Errorf("%s: got key %q and recovery %s, want %q and ENABLED", name, key, recovery, testKey)
		}
		if got := len(declared.Create.Tags); got != 2 || declared.Recovery {
			t.Errorf("%s: Apply changed its argument: %d tags, recovery %v", name, got, declared.Recovery)
		}
	}
}

// TestReplicasAreSelected checks which replicas the settings select.
func TestReplicasAreSelected(t *testing.T) {
	t.Parallel()
	schemas := []table.Schema{{Create: schema("doors"), Regions: []string{"us-west-2", "eu-west-1"}}, {Create: schema("windows")}}
	for given, want := range map[string]string{"": "", "default": "us-west-2 eu-west-1", "eu-central-1, ap-south-1": "eu-central-1 ap-south-1"} {
		all, err := table.Settings{Replicas: given}.Apply(schemas)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(all[0].Replicas, " "); got != want {
			t.Errorf("ASSAY_REPLICAS=%q: got replicas %q, want %q", given, got, want)
		}
		if len(all[1].Replicas) > 0 {
			t.Errorf("ASSAY_REPLICAS=%q: got replicas %v of a table that declares none", given, all[1].Replicas)
		}
	}
}

// TestUnusableSettingsAreNamed checks that settings with invalid values are rejected, with the name of the variable.
func TestUnusableSettingsAreNamed(t *testing.T) {
	t.Parallel()
	for variable, settings := range map[string]table.Settings{
		"ASSAY_PITR": {Recovery: "yes"}, "ASSAY_KMS_KEY": {Key: "alias/assay"},
	} {
		if _, err := settings.Apply(nil); err == nil || !strings.Contains(err.Error(), variable) {
			t.Errorf("got error %v, want one that names %s", err, variable)
		}
	}
}
