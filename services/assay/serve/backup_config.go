package serve

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	// backupRetry is the maximum time after which a scheduled backup that failed is repeated.
	backupRetry = 15 * time.Minute
	// minBackupEvery is the minimum interval of scheduled backups.
	minBackupEvery = time.Minute
)

// backupSchedule says when and how backups are made without an operator's call.
type backupSchedule struct {
	request backupRequest // without a destination there is no schedule
	every   time.Duration
}

// backupSchedule returns the schedule, or an error that names the setting.
func (c Config) backupSchedule() (s backupSchedule, err error) {
	s = backupSchedule{every: c.BackupEvery, request: backupRequest{to: c.BackupTo, keep: c.BackupKeep}}
	if s.request.rate, err = parseRate(c.BackupRate); err != nil {
		return s, fmt.Errorf("ASSAY_BACKUP_RATE: %w", err)
	}
	if c.BackupEvery < minBackupEvery {
		return s, fmt.Errorf("ASSAY_BACKUP_EVERY is %s: must be %s or more", c.BackupEvery, minBackupEvery)
	}
	if c.BackupKeep < 0 {
		return s, errors.New("ASSAY_BACKUP_KEEP is negative: must be 0 for all, or the number of backups")
	}
	return s, nil
}

// parseRate parses a number of bytes per second, such as 50MiB. 0 means no maximum.
func parseRate(text string) (int64, error) {
	rate, err := humanize.ParseBytes(text)
	if err != nil || rate > 1<<50 {
		return 0, fmt.Errorf("%q is not a number of bytes per second, such as 50MiB, or 0 for no maximum", text)
	}
	return int64(rate), nil
}

// next returns when the next backup is due: an interval after the begin of the last complete one, but after a failure not at
// once.
func (s backupSchedule) next(h backupHistory) time.Time {
	var due time.Time
	if h.LastSuccess != nil {
		due = h.LastSuccess.Started.Add(s.every)
	}
	if h.Last != nil && h.Last.Error != "" {
		if retry := h.Last.Finished.Add(min(s.every, backupRetry)); retry.After(due) {
			due = retry
		}
	}
	return due
}

// outside returns an error if a repository is in the data folder, whose loss would also lose the backups.
func outside(dir, repository string) error {
	if !filepath.IsAbs(repository) {
		return nil
	}
	if local, err := filepath.Rel(dir, repository); err == nil && filepath.IsLocal(local) {
		return errors.New("the repository of the backups is in the data folder: choose another place")
	}
	return nil
}
