package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/services/assay/permissions"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/tablebackup"
)

// errUnprotected means that some data can be lost although the tables are backed up.
var errUnprotected = errors.New("not everything is protected")

// tablesAreOf is the part of the help that names the tables and the credentials.
const tablesAreOf = `The tables and buckets are those that "assay setup" creates, with the same variables of
the services and of AWS. The credentials need the permissions in deploy/iam/backup.json.
"assay serve" does not require this command: see "assay backup".`

func newBackupTables(s *settings) *cobra.Command {
	var name, export string
	var recovery, check bool
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Back up the DynamoDB tables of separate services",
		Long: `Create an on-demand backup of each table, wait until all are available, and print their
ARNs. The backups have one name, and begin within seconds of each other.

With --pitr it also enables point-in-time recovery where it is disabled, and prints the
times to which each table can be restored. With --export it also starts an export of
each table to S3, all of one time; this requires point-in-time recovery, and the
permission to write to the bucket. With --check it creates nothing: it prints the state
of point-in-time recovery of each table.

It always checks that the buckets keep the versions of their objects, without which
deleted and replaced objects cannot be restored. With --check, the exit status is 1 if
a bucket does not, or if point-in-time recovery of a table is disabled.

` + tablesAreOf,
		Example: `  assay backup tables --pitr
  assay backup tables --name before-upgrade
  assay backup tables --export s3://backups/assay
  assay backup tables --check`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&name, "name", "", `name of the backups (default "assay-" and the time)`)
	cmd.Flags().BoolVar(&recovery, "pitr", false, "enable point-in-time recovery")
	cmd.Flags().StringVar(&export, "export", "", "export the tables to s3://bucket/prefix")
	cmd.Flags().BoolVar(&check, "check", false, "only check point-in-time recovery and the versioning of the buckets")
	cmd.MarkFlagsMutuallyExclusive("check", "name")
	cmd.MarkFlagsMutuallyExclusive("check", "pitr")
	cmd.MarkFlagsMutuallyExclusive("check", "export")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		bucket, prefix, err := s3Address(export)
		if err != nil {
			return err
		}
		if name == "" {
			name = "assay-" + time.Now().UTC().Format("20060102T150405Z")
		}
		return withTables(cmd.Context(), func(ctx context.Context, source *tablebackup.Source) error {
			b := tableBackup{s, cmd, source}
			if check {
				return errors.Join(b.recoveries(ctx, false), b.versionings(ctx, true))
			}
			if err := b.create(ctx, name); err != nil {
				return err
			}
			if recovery {
				if err := b.recoveries(ctx, true); err != nil {
					return err
				}
			}
			if bucket != "" {
				if err := b.export(ctx, bucket, prefix); err != nil {
					return err
				}
			}
			return b.versionings(ctx, false)
		})
	}
	return cmd
}

// s3Address returns the bucket and the prefix of s3://bucket/prefix. Both are empty if the text is.
func s3Address(text string) (bucket, prefix string, err error) {
	if text == "" {
		return "", "", nil
	}
	path, ok := strings.CutPrefix(text, "s3://")
	bucket, prefix, _ = strings.Cut(path, "/")
	if !ok || bucket == "" {
		return "", "", usage("--export %q: must be s3://bucket/prefix", text)
	}
	return bucket, strings.Trim(prefix, "/"), nil
}

// withTables calls f with the tables of the settings.
func withTables(ctx context.Context, f func(context.Context, *tablebackup.Source) error) error {
	cfg, err := config.Load[setup.Config](os.Environ())
	if err != nil {
		return err
	}
	source, err := tablebackup.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer source.Close()
	return f(ctx, source)
}

// tableBackup prints what is done with the tables.
type tableBackup struct {
	*settings
	cmd    *cobra.Command
	source *tablebackup.Source
}

func (b tableBackup) create(ctx context.Context, name string) (err error) {
	created := b.source.Create(ctx, name, func(made tablebackup.Backup) {
		err = errors.Join(err, b.write(b.cmd.OutOrStdout(), made, "%s  backup  %s\n", made.Table, made.ARN))
	})
	if created == nil && err == nil {
		note(b.cmd.ErrOrStderr(), "The backups of all tables are available. To restore them: assay restore tables --backup %s", name)
	}
	return errors.Join(created, err)
}

func (b tableBackup) recoveries(ctx context.Context, enable bool) error {
	all, err := b.source.Recoveries(ctx, enable)
	if err != nil {
		return err
	}
	var disabled []string
	for _, r := range all {
		state := "disabled"
		if r.Enabled {
			state = fmt.Sprintf("enabled, from %s to %s", r.Earliest.UTC().Format(time.RFC3339), r.Latest.UTC().Format(time.RFC3339))
		} else {
			disabled = append(disabled, r.Table)
		}
		if err := b.write(b.cmd.OutOrStdout(), r, "%s  point-in-time recovery  %s\n", r.Table, state); err != nil {
			return err
		}
	}
	if disabled == nil {
		return nil
	}
	return fmt.Errorf("%w: point-in-time recovery is disabled for %s; enable it with --pitr", errUnprotected, strings.Join(disabled, ", "))
}

func (b tableBackup) export(ctx context.Context, bucket, prefix string) (err error) {
	exported := b.source.Export(ctx, bucket, prefix, func(e tablebackup.Export) {
		err = errors.Join(err, b.write(b.cmd.OutOrStdout(), e, "%s  export  %s  %s\n", e.Table, e.Status, e.ARN))
	})
	return errors.Join(exported, err)
}

// versionings prints which buckets keep versions. If one does not, it is an error if required is true, otherwise a
// warning.
func (b tableBackup) versionings(ctx context.Context, required bool) error {
	all, err := b.source.Versionings(ctx)
	if err != nil {
		return err
	}
	var without []string
	for _, v := range all {
		state := "enabled"
		if !v.Enabled {
			state = "not enabled"
			without = append(without, v.Bucket)
		}
		if err := b.write(b.cmd.OutOrStdout(), v, "%s  versioning  %s\n", v.Bucket, state); err != nil {
			return err
		}
	}
	if without == nil {
		return nil
	}
	missing := "deleted and replaced objects cannot be restored, because versioning is not enabled for " + strings.Join(without, ", ")
	if required {
		return fmt.Errorf("%w: %s", errUnprotected, missing)
	}
	note(b.cmd.ErrOrStderr(), "assay: warning: %s", missing)
	return nil
}

// restoredTable is a restored table with the setting that selects it.
type restoredTable struct {
	tablebackup.Restored
	Setting string `json:"setting"`
}

func newRestoreTables(s *settings) *cobra.Command {
	var name, suffix string
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "Restore the DynamoDB tables of separate services",
		Long: `Restore each table from its backup with the name that "assay backup tables" has printed,
to a new table whose name has the suffix, and wait until all are active. It then enables
their streams and their time to live, and prints the settings with which the services
use the restored tables. If it is interrupted, run it again.

With --suffix "" the tables have their own names, and must not exist: delete the damaged
tables first. Enable point-in-time recovery of the restored tables again, and add their
tags: backups do not contain them.

` + tablesAreOf,
		Example: `  assay restore tables --backup assay-20261129T101500Z`,
		Args:    cobra.NoArgs,
	}
	cmd.Flags().StringVar(&name, "backup", "", "name of the backups")
	cmd.Flags().StringVar(&suffix, "suffix", permissions.RestoredSuffix, "end of the names of the restored tables")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if name == "" {
			return usage("--backup is required: the name of the backups")
		}
		variables, err := tablebackup.Settings(os.Environ())
		if err != nil {
			return err
		}
		var lines []string
		var written error
		err = withTables(cmd.Context(), func(ctx context.Context, source *tablebackup.Source) error {
			return source.Restore(ctx, name, suffix, func(r tablebackup.Restored) {
				setting := variables[r.Table] + "=" + r.Target
				lines = append(lines, setting)
				if s.json {
					written = errors.Join(written, writeJSON(cmd.OutOrStdout(), restoredTable{r, setting}))
				} else {
					note(cmd.ErrOrStderr(), "%s is restored from %s", r.Target, r.ARN)
				}
			})
		})
		if err != nil || s.json {
			return errors.Join(err, written)
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n"))
		return err
	}
	return cmd
}
