package dynamolite_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestTerraform sends the requests of a Terraform provider that creates, reads, changes and deletes a table with tags,
// encryption, time to live, a stream and continuous backups, and checks what the provider reads back.
func TestTerraform(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	s, ctx, name := serve(t, engine), t.Context(), aws.String("jobs")
	const key = "arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab"
	s.table("jobs", "pk:S", "sk:S", withIndex("by_g", "g:S", "", types.ProjectionTypeAll), withStream(types.StreamViewTypeNewImage),
		func(in *dynamodb.CreateTableInput) {
			in.Tags = tagsOf("Name", "jobs")
			in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: aws.String(key)}
			in.TableClass = types.TableClassStandardInfrequentAccess
			in.DeletionProtectionEnabled = aws.Bool(true)
			in.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: aws.Int64(10), MaxWriteRequestUnits: aws.Int64(-1)}
			in.GlobalSecondaryIndexes[0].WarmThroughput = &types.WarmThroughput{ReadUnitsPerSecond: aws.Int64(12000), WriteUnitsPerSecond: aws.Int64(4000)}
		})
	must(s.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: name, TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires"), Enabled: aws.Bool(true)},
	}))(t)
	must(s.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
		TableName: name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	}))(t)
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}

	s = start(t, dynamolite.Options{Path: path})
	described := must(s.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name}))(t).Table
	sse, class, limits, index := described.SSEDescription, described.TableClassSummary, described.OnDemandThroughput, described.GlobalSecondaryIndexes[0]
	if sse == nil || sse.Status != types.SSEStatusEnabled || sse.SSEType != types.SSETypeKms || *sse.KMSMasterKeyArn != key {
		t.Errorf("got encryption %+v, want KMS with key %s", sse, key)
	}
	if class == nil || class.TableClass != types.TableClassStandardInfrequentAccess || class.LastUpdateDateTime == nil {
		t.Errorf("got table class %+v, want STANDARD_INFREQUENT_ACCESS", class)
	}
	if limits == nil || *limits.MaxReadRequestUnits != 10 || *limits.MaxWriteRequestUnits != -1 {
		t.Errorf("got limits %+v, want 10 and -1", limits)
	}
	if warm := index.WarmThroughput; warm == nil || *warm.ReadUnitsPerSecond != 12000 || warm.Status != types.IndexStatusActive {
		t.Errorf("got warm throughput %+v, want 12000 reads", warm)
	}
	if *described.DeletionProtectionEnabled != true || *described.TableId == "" || *described.LatestStreamArn == "" || described.RestoreSummary != nil {
		t.Errorf("got table %+v, want deletion protection, an ID, a stream and no restore", described)
	}
	if got := s.tags(*described.TableArn); len(got) != 1 || got["Name"] != "jobs" {
		t.Errorf("got tags %v, want Name = jobs", got)
	}
	if backups := s.recovery("jobs"); backups.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled || *backups.RecoveryPeriodInDays != 35 {
		t.Errorf("got continuous backups %+v, want them enabled with 35 days", backups)
	}

	changed := must(s.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: name, SSESpecification: &types.SSESpecification{Enabled: aws.Bool(false)}, TableClass: types.TableClassStandard, DeletionProtectionEnabled: aws.Bool(false),
	}))(t).TableDescription
	if changed.SSEDescription != nil || changed.TableClassSummary.TableClass != types.TableClassStandard || *changed.OnDemandThroughput.MaxReadRequestUnits != 10 {
		t.Errorf("after the update: got %+v, want no SSEDescription, class STANDARD and the old limits", changed)
	}
	must(s.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: name}))(t)
	_, err = s.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name})
	wantError(t, err, "ResourceNotFoundException")
}

func (s *service) recovery(table string) *types.PointInTimeRecoveryDescription {
	s.t.Helper()
	out := must(s.DescribeContinuousBackups(s.t.Context(), &dynamodb.DescribeContinuousBackupsInput{TableName: &table}))(s.t)
	if status := out.ContinuousBackupsDescription.ContinuousBackupsStatus; status != types.ContinuousBackupsStatusEnabled {
		s.t.Errorf("got ContinuousBackupsStatus %s, want ENABLED", status)
	}
	return out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
}

func TestEncryptionKeys(t *testing.T) {
	s := start(t, dynamolite.Options{})
	s.table("tab", "pk:S", "")
	encrypt := func(spec types.SSESpecification) (*types.SSEDescription, error) {
		spec.Enabled = aws.Bool(true)
		out, err := s.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("tab"), SSESpecification: &spec})
		if err != nil {
			return nil, err
		}
		return out.TableDescription.SSEDescription, nil
	}
	const prefix = "arn:aws:kms:us-east-1:000000000000:key/"
	managed := must(encrypt(types.SSESpecification{}))(t)
	again := must(encrypt(types.SSESpecification{KMSMasterKeyId: aws.String("alias/aws/dynamodb")}))(t)
	byARN := must(encrypt(types.SSESpecification{KMSMasterKeyId: aws.String("arn:aws:kms:us-east-1:000000000000:alias/aws/dynamodb")}))(t)
	if arn := *managed.KMSMasterKeyArn; !strings.HasPrefix(arn, prefix) || len(arn) != len(prefix)+36 || *again.KMSMasterKeyArn != arn || *byARN.KMSMasterKeyArn != arn {
		t.Errorf("got keys %s, %s and %s, want the ARN of one key", arn, *again.KMSMasterKeyArn, *byARN.KMSMasterKeyArn)
	}
	if other := must(encrypt(types.SSESpecification{KMSMasterKeyId: aws.String("alias/mine")}))(t); *other.KMSMasterKeyArn == *managed.KMSMasterKeyArn {
		t.Errorf("another alias has the key %s too, want another one", *other.KMSMasterKeyArn)
	}
	if byID := must(encrypt(types.SSESpecification{KMSMasterKeyId: aws.String("1234")}))(t); *byID.KMSMasterKeyArn != prefix+"1234" {
		t.Errorf("got key %s, want %s1234", *byID.KMSMasterKeyArn, prefix)
	}
	if d := must(encrypt(types.SSESpecification{SSEType: types.SSETypeAes256}))(t); d.SSEType != types.SSETypeAes256 || d.KMSMasterKeyArn != nil {
		t.Errorf("got %+v, want AES256 without a key", d)
	}
	_, err := encrypt(types.SSESpecification{SSEType: types.SSETypeAes256, KMSMasterKeyId: aws.String("1234")})
	wantError(t, err, "ValidationException")
	_, err = encrypt(types.SSESpecification{SSEType: "DES"})
	wantError(t, err, "ValidationException")
	if want := "Value 'DES' at 'sSESpecification.sSEType' failed to satisfy constraint: Member must satisfy enum value set: [AES256, KMS]"; !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	_, err = s.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("tab"), SSESpecification: &types.SSESpecification{Enabled: aws.Bool(false), SSEType: types.SSETypeKms}})
	wantError(t, err, "ValidationException")
	_, err = s.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: aws.String("tab"), ReplicaUpdates: []types.ReplicationGroupUpdate{{Create: &types.CreateReplicationGroupMemberAction{RegionName: aws.String("eu-west-1")}}}})
	wantError(t, err, "ValidationException")
}

func TestContinuousBackups(t *testing.T) {
	clock := newClock()
	s, ctx := start(t, dynamolite.Options{Clock: clock.Now}), t.Context()
	s.table("tab", "pk:S", "")
	update := func(table string, enabled bool, days *int32) error {
		_, err := s.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName: &table, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: &enabled, RecoveryPeriodInDays: days},
		})
		return err
	}
	restore := &dynamodb.RestoreTableToPointInTimeInput{SourceTableName: aws.String("tab"), TargetTableName: aws.String("restored"), UseLatestRestorableTime: aws.Bool(true)}
	export := &dynamodb.ExportTableToPointInTimeInput{TableArn: aws.String(tableARN + "tab"), S3Bucket: aws.String("bucket")}
	if got := s.recovery("tab"); got.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusDisabled || got.EarliestRestorableDateTime != nil {
		t.Errorf("by default: got %+v, want DISABLED", got)
	}
	_, err := s.RestoreTableToPointInTime(ctx, restore)
	wantError(t, err, "PointInTimeRecoveryUnavailableException")
	_, err = s.ExportTableToPointInTime(ctx, export)
	wantError(t, err, "PointInTimeRecoveryUnavailableException")

	for _, days := range []int32{0, 36} {
		wantError(t, update("tab", true, &days), "ValidationException")
	}
	wantError(t, update("none", true, nil), "TableNotFoundException")
	_, err = s.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("none")})
	wantError(t, err, "TableNotFoundException")
	began := clock.Now()
	for _, days := range []int32{1, 35, 7} {
		if err := update("tab", true, &days); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Hour)
	}
	got := s.recovery("tab")
	if *got.RecoveryPeriodInDays != 7 || !got.EarliestRestorableDateTime.Equal(began) || !got.LatestRestorableDateTime.Equal(clock.Now().Add(-5*time.Minute)) {
		t.Errorf("after 3 hours: got %s to %s, %d days, want %s to 5 minutes ago, 7 days", got.EarliestRestorableDateTime, got.LatestRestorableDateTime, *got.RecoveryPeriodInDays, began)
	}
	clock.Advance(30 * 24 * time.Hour)
	if got := s.recovery("tab"); !got.EarliestRestorableDateTime.Equal(clock.Now().AddDate(0, 0, -7)) {
		t.Errorf("after 30 days: got the earliest time %s, want 7 days ago", got.EarliestRestorableDateTime)
	}
	_, err = s.RestoreTableToPointInTime(ctx, restore)
	wantError(t, err, "ValidationException") // not supported
	_, err = s.ExportTableToPointInTime(ctx, export)
	wantError(t, err, "ValidationException")
	if err := update("tab", false, nil); err != nil {
		t.Fatal(err)
	}
	if got := s.recovery("tab"); got.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusDisabled {
		t.Errorf("disabled again: got %+v, want DISABLED", got)
	}
	if limits := must(s.DescribeLimits(ctx, &dynamodb.DescribeLimitsInput{}))(t); *limits.TableMaxReadCapacityUnits != 40_000 {
		t.Errorf("got %+v, want 40,000 read capacity units per table", limits)
	}
}
