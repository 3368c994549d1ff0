package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/backup"
	"github.com/assay-project/assay/services/assay/client"
)

const (
	// backupPoll is the interval at which the state of a running backup is read.
	backupPoll = 500 * time.Millisecond
	// cancelTime is the maximum time for canceling a backup after an interrupt.
	cancelTime = 5 * time.Second
)

// errBackup means that a backup failed.
var errBackup = errors.New("the backup failed")

func newBackup(s *settings) *cobra.Command {
	var request client.BackupRequest
	cmd := &cobra.Command{
		Use:   "backup",
		Short: `Back up a running "assay serve"`,
		Long: `Back up the data folder of a running "assay serve": its database, objects and streams
as they are at one moment, the mark. Everything that was accepted before the mark is in
the backup. The server continues to work.

The repository is a folder of the server's machine, or a prefix of an S3 bucket:
s3://BUCKET/PREFIX?profile=NAME&endpoint=URL&region=NAME. The server reads the
credentials for S3 from the profile assay-backup of its AWS configuration files
(~/.aws/credentials), or from the named one. A backup stores only what the repository
does not have. One that was interrupted is continued by the next one.

Ctrl-C cancels the backup. "assay restore" restores one, "assay verify --from" checks
all of a repository.

It calls the operator address: --operator, else ASSAY_OPERATOR, else that of a running
"assay serve". Without --to, the backup goes to ASSAY_BACKUP_TO of the server.`,
		Example: `  assay backup --to /var/backups/assay --keep 7
  assay backup --to 's3://backups/assay?region=eu-north-1' --rate 20MiB
  assay backup list --from /var/backups/assay`,
		Args: knownCommand,
	}
	flags := cmd.Flags()
	flags.StringVar(&request.To, "to", "", "repository: a folder, or s3://BUCKET/PREFIX (default ASSAY_BACKUP_TO of the server)")
	flags.StringVar(&request.Rate, "rate", "", "maximum number of bytes read in a second, such as 50MiB; 0 means no maximum (default ASSAY_BACKUP_RATE of the server)")
	flags.IntVar(&request.Keep, "keep", 0, "afterwards, remove all but this number of backups of the data folder (default keep all)")
	cmd.RunE = with(s.operatorClient, func(cmd *cobra.Command, c *client.Client, _ []string) (err error) {
		if request.To, err = repositoryOf(request.To); err != nil {
			return err
		}
		if _, err := c.StartBackup(cmd.Context(), request); err != nil {
			return err
		}
		return s.followBackup(cmd, c)
	})
	cmd.AddCommand(newBackupList(s), newBackupTables(s))
	return s.operators(cmd, "8082")
}

// repositoryOf returns the location of a repository, with an absolute path.
func repositoryOf(given string) (string, error) {
	if given == "" || strings.Contains(given, "://") {
		return given, nil
	}
	return filepath.Abs(given)
}

// followBackup waits for the end of the running backup, and prints its result. If the command is interrupted, it cancels the
// backup.
func (s *settings) followBackup(cmd *cobra.Command, c *client.Client) error {
	ctx := cmd.Context()
	screen := terminalOf(cmd.ErrOrStderr())
	for {
		state, err := c.Backups(ctx)
		if ctx.Err() != nil {
			stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
			defer cancel()
			return errors.Join(context.Cause(ctx), c.CancelBackup(stop))
		}
		if err != nil {
			return err
		}
		if state.Running == nil {
			if screen != nil {
				note(screen, "\r\x1b[K")
			}
			return s.printBackup(cmd, state.Last)
		}
		if screen != nil {
			_, _ = fmt.Fprintf(screen, "\r\x1b[K%d files, %s, %s stored", state.Running.Files, sizeOf(state.Running.Bytes), sizeOf(state.Running.Written))
		}
		select {
		case <-ctx.Done():
		case <-time.After(backupPoll):
		}
	}
}

func (s *settings) printBackup(cmd *cobra.Command, last *client.BackupResult) error {
	if last == nil {
		return fmt.Errorf("%w: the server has restarted", errBackup)
	}
	if last.Error != "" {
		return fmt.Errorf("%w: %s", errBackup, last.Error)
	}
	for _, problem := range last.Problems {
		note(cmd.ErrOrStderr(), "assay: warning: %s", problem)
	}
	return s.write(cmd.OutOrStdout(), last, "%s  %s, %s, %s stored, in %s\n", last.ID, count(last.Objects, "object"), sizeOf(last.Bytes), sizeOf(last.Written),
		last.Finished.Sub(last.Started).Round(time.Millisecond))
}

func newBackupList(s *settings) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use: "list", Short: "List the backups of a repository, oldest first", Args: cobra.NoArgs,
		Example: `  assay backup list --from /var/backups/assay`,
		PreRunE: func(*cobra.Command, []string) error { return repositoryGiven(from) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			location, err := repositoryOf(from)
			if err != nil {
				return err
			}
			repository, err := backup.Open(cmd.Context(), location)
			if err != nil {
				return err
			}
			all, err := repository.List(cmd.Context())
			if err != nil {
				return err
			}
			return s.printBackups(cmd, all)
		},
	}
	cmd.Flags().StringVar(&from, "from", os.Getenv("ASSAY_BACKUP_TO"), "repository: a folder, or s3://BUCKET/PREFIX [ASSAY_BACKUP_TO]")
	return cmd
}

func repositoryGiven(from string) error {
	if from == "" {
		return usage("name the repository with --from")
	}
	return nil
}

func (s *settings) printBackups(cmd *cobra.Command, all []backup.Manifest) error {
	if s.json {
		for _, one := range all {
			if err := writeJSON(cmd.OutOrStdout(), one); err != nil {
				return err
			}
		}
		return nil
	}
	table := &columns{}
	table.row("ID", "MARK", "OBJECTS", "SIZE", "ADDED", "FOLDER")
	for _, one := range all {
		table.row(one.ID, dateTime(one.Mark), one.Objects, sizeOf(one.Bytes), sizeOf(one.Written), one.Folder)
	}
	return table.write(cmd.OutOrStdout())
}
