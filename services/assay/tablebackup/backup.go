package tablebackup

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Backup is an on-demand backup of a table.
type Backup struct {
	Table string `json:"table"`
	ARN   string `json:"backupArn"`
	Items int64  `json:"items"` // approximate on AWS
	Bytes int64  `json:"bytes"` // approximate on AWS
}

// Create begins a backup with this name of every table, and returns when all are available. It calls done for each of
// them. The backups begin within seconds of each other, not at the same instant.
func (s *Source) Create(ctx context.Context, name string, done func(Backup)) error {
	arns := make([]*string, len(s.Schemas))
	for i, schema := range s.Schemas {
		out, err := s.db.CreateBackup(ctx, &dynamodb.CreateBackupInput{TableName: schema.Create.TableName, BackupName: &name})
		if err != nil {
			return wrap(*schema.Create.TableName, "create the backup", err)
		}
		arns[i] = out.BackupDetails.BackupArn
	}
	for i, schema := range s.Schemas {
		err := await(ctx, func() (bool, error) {
			out, err := s.db.DescribeBackup(ctx, &dynamodb.DescribeBackupInput{BackupArn: arns[i]})
			if err != nil || out.BackupDescription.BackupDetails.BackupStatus != types.BackupStatusAvailable {
				return false, err
			}
			of := out.BackupDescription.SourceTableDetails
			done(Backup{Table: *schema.Create.TableName, ARN: *arns[i], Items: aws.ToInt64(of.ItemCount), Bytes: aws.ToInt64(of.TableSizeBytes)})
			return true, nil
		})
		if err != nil {
			return wrap(*schema.Create.TableName, "await the backup", err)
		}
	}
	return nil
}

// Recovery is the state of the point-in-time recovery of a table.
type Recovery struct {
	Table    string    `json:"table"`
	Enabled  bool      `json:"pointInTimeRecovery"`
	Earliest time.Time `json:"earliest,omitzero"`
	Latest   time.Time `json:"latest,omitzero"`
}

// Recoveries returns the state of the point-in-time recovery of each table. With enable, it enables the recovery where it
// is not.
func (s *Source) Recoveries(ctx context.Context, enable bool) ([]Recovery, error) {
	var all []Recovery
	for _, schema := range s.Schemas {
		name := schema.Create.TableName
		found, err := s.db.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: name})
		if err != nil {
			return nil, wrap(*name, "describe continuous backups", err)
		}
		described := found.ContinuousBackupsDescription
		if enable && !recovery(*name, described).Enabled {
			updated, err := s.db.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
				TableName: name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
			})
			if err != nil {
				return nil, wrap(*name, "enable point-in-time recovery", err)
			}
			described = updated.ContinuousBackupsDescription
		}
		all = append(all, recovery(*name, described))
	}
	return all, nil
}

func recovery(table string, d *types.ContinuousBackupsDescription) Recovery {
	r := Recovery{Table: table}
	if d == nil || d.PointInTimeRecoveryDescription == nil {
		return r
	}
	p := d.PointInTimeRecoveryDescription
	r.Enabled = p.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
	r.Earliest, r.Latest = aws.ToTime(p.EarliestRestorableDateTime), aws.ToTime(p.LatestRestorableDateTime)
	return r
}

// Export is an export of a table to S3.
type Export struct {
	Table  string `json:"table"`
	ARN    string `json:"exportArn"`
	Status string `json:"status"`
}

// Export starts an export of each table to a folder with the table's name below the prefix of the bucket, and calls done
// for each of them. All exports are of one time, the latest to which every table can be restored. Point-in-time recovery
// must be enabled. An export ends in the background. The errors are those of all tables whose export could not be started.
func (s *Source) Export(ctx context.Context, bucket, prefix string, done func(Export)) error {
	recoveries, err := s.Recoveries(ctx, false)
	if err != nil {
		return err
	}
	var at *time.Time
	for _, r := range recoveries {
		if r.Enabled && (at == nil || r.Latest.Before(*at)) {
			at = &r.Latest
		}
	}
	var errs []error
	for _, schema := range s.Schemas {
		name := *schema.Create.TableName
		described, err := s.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			return wrap(name, "describe", err)
		}
		out, err := s.db.ExportTableToPointInTime(ctx, &dynamodb.ExportTableToPointInTimeInput{
			TableArn: described.Table.TableArn, S3Bucket: &bucket, S3Prefix: aws.String(joined(prefix, name)), ExportTime: at,
		})
		if err != nil {
			errs = append(errs, wrap(name, "export", err))
			continue
		}
		done(Export{Table: name, ARN: aws.ToString(out.ExportDescription.ExportArn), Status: string(out.ExportDescription.ExportStatus)})
	}
	return errors.Join(errs...)
}

func joined(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "/" + name
}

// Versioning reports whether a bucket keeps the earlier versions of its objects.
type Versioning struct {
	Bucket  string `json:"bucket"`
	Enabled bool   `json:"versioning"`
}

// Versionings returns whether each bucket keeps versions.
func (s *Source) Versionings(ctx context.Context) ([]Versioning, error) {
	var all []Versioning
	for _, bucket := range s.Buckets {
		enabled, err := bucket.Versioned(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, Versioning{bucket.Bucket, enabled})
	}
	return all, nil
}
