package tablebackup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/setup"
)

// ErrIncomplete means that a backup does not exist for every table.
var ErrIncomplete = errors.New("there is no available backup of every table")

// Restored is a table that was restored from a backup.
type Restored struct {
	Table  string `json:"table"`
	Target string `json:"restoredTable"`
	ARN    string `json:"backupArn"`
}

// Restore restores every table from its backup with this name, the newest if there are several, to a table whose name has
// the suffix, and calls done for each of them. It then enables the stream and the time to live that the table has to have:
// a backup has neither. It continues a restore that was interrupted. It returns ErrIncomplete, before it restores any
// table, if one has no available backup.
func (s *Source) Restore(ctx context.Context, name, suffix string, done func(Restored)) error {
	arns, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	for i, schema := range s.Schemas {
		target := *schema.Create.TableName + suffix
		_, err := s.db.RestoreTableFromBackup(ctx, &dynamodb.RestoreTableFromBackupInput{BackupArn: &arns[i], TargetTableName: &target})
		if _, exists := errors.AsType[*types.TableAlreadyExistsException](err); exists {
			err = s.restoredFrom(ctx, target, arns[i])
		}
		if err != nil {
			return wrap(target, "restore", err)
		}
	}
	for i, schema := range s.Schemas {
		target := *schema.Create.TableName + suffix
		if err := s.complete(ctx, target, schema); err != nil {
			return wrap(target, "restore", err)
		}
		done(Restored{*schema.Create.TableName, target, arns[i]})
	}
	return nil
}

// find returns the ARN of the newest available backup with this name of each table.
func (s *Source) find(ctx context.Context, name string) ([]string, error) {
	var missing []string
	arns := make([]string, len(s.Schemas))
	for i, schema := range s.Schemas {
		newest, err := s.newest(ctx, schema.Create.TableName, name)
		if err != nil {
			return nil, wrap(*schema.Create.TableName, "list the backups", err)
		}
		if newest.BackupArn == nil {
			missing = append(missing, *schema.Create.TableName)
			continue
		}
		arns[i] = *newest.BackupArn
	}
	if missing != nil {
		return nil, fmt.Errorf("backup %s: %w: %s", name, ErrIncomplete, strings.Join(missing, ", "))
	}
	return arns, nil
}

// newest returns the newest available backup of the table with this name, or the zero value.
func (s *Source) newest(ctx context.Context, table *string, name string) (newest types.BackupSummary, err error) {
	in := &dynamodb.ListBackupsInput{TableName: table}
	for {
		page, err := s.db.ListBackups(ctx, in)
		if err != nil {
			return newest, err
		}
		for _, b := range page.BackupSummaries {
			if aws.ToString(b.BackupName) == name && b.BackupStatus == types.BackupStatusAvailable &&
				aws.ToTime(b.BackupCreationDateTime).After(aws.ToTime(newest.BackupCreationDateTime)) {
				newest = b
			}
		}
		if in.ExclusiveStartBackupArn = page.LastEvaluatedBackupArn; in.ExclusiveStartBackupArn == nil {
			return newest, nil
		}
	}
}

// restoredFrom returns an error unless the table was restored from this backup.
func (s *Source) restoredFrom(ctx context.Context, name, arn string) error {
	out, err := s.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return err
	}
	if from := out.Table.RestoreSummary; from == nil || aws.ToString(from.SourceBackupArn) != arn {
		return errors.New("the table exists already")
	}
	return nil
}

// complete waits until a restored table is active, and enables what its schema declares and a backup lacks.
func (s *Source) complete(ctx context.Context, name string, schema table.Schema) error {
	if err := s.active(ctx, name); err != nil {
		return err
	}
	if stream := schema.Create.StreamSpecification; stream != nil && aws.ToBool(stream.StreamEnabled) {
		if err := s.enableStream(ctx, name, stream); err != nil {
			return err
		}
	}
	// `assay setup` sets the tags, the recovery and the replicas of tables that are in use.
	return table.SettleAll(ctx, s.db, []table.Schema{{Create: &dynamodb.CreateTableInput{TableName: &name}, TTL: schema.TTL}})
}

func (s *Source) active(ctx context.Context, name string) error {
	return await(ctx, func() (bool, error) {
		out, err := s.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		return err == nil && out.Table.TableStatus == types.TableStatusActive, err
	})
}

func (s *Source) enableStream(ctx context.Context, name string, stream *types.StreamSpecification) error {
	out, err := s.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil || out.Table.StreamSpecification != nil {
		return err
	}
	if _, err := s.db.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &name, StreamSpecification: stream}); err != nil {
		return err
	}
	return s.active(ctx, name)
}

// Settings returns the setting of each table's name, such as ASSAY_FEED_TABLE, by the name of the table. environ are the
// settings of `assay setup`.
func Settings(environ []string) (map[string]string, error) {
	tables, err := tablesOf(environ)
	if err != nil {
		return nil, err
	}
	const probe = "assay-probe"
	settings := map[string]string{}
	for _, v := range config.Variables[setup.Config]() {
		changed, err := tablesOf(append(environ[:len(environ):len(environ)], v.Name+"="+probe))
		if err != nil {
			continue // not a setting for a name
		}
		for i, name := range changed {
			if name == probe {
				settings[tables[i]] = v.Name
			}
		}
	}
	for _, name := range tables {
		if settings[name] == "" {
			return nil, fmt.Errorf("no setting names the table %s", name)
		}
	}
	return settings, nil
}

// tablesOf returns the names of the tables with these settings.
func tablesOf(environ []string) ([]string, error) {
	cfg, err := config.Load[setup.Config](environ)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, storage := range cfg.Storage(cfg.Areas()) {
		for _, schema := range storage.Tables {
			names = append(names, *schema.Create.TableName)
		}
	}
	return names, nil
}
