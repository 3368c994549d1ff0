package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/services/assay/backup"
)

// backupHistory is the content of the file backups.json in the data folder.
type backupHistory struct {
	Last        *backupResult `json:"last,omitempty"`        // that has ended
	LastSuccess *backupResult `json:"lastSuccess,omitempty"` // that was complete
}

// backupResult is the result of a backup.
type backupResult struct {
	ID       string    `json:"id,omitempty" example:"20261129T031500Z-4mzq2k" doc:"the id of the backup; absent if it failed"`
	To       string    `json:"to" example:"/var/backups/assay" doc:"the repository"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Mark     time.Time `json:"mark,omitzero" doc:"everything that was accepted before this time is in the backup"`
	Objects  int       `json:"objects" example:"1200"`
	Bytes    int64     `json:"bytes" example:"734003200" doc:"the size of what the backup contains"`
	Written  int64     `json:"written" example:"1048576" doc:"the compressed bytes that were added to the repository"`
	Problems []string  `json:"problems,omitempty" doc:"damaged objects, which the backup contains as they are"`
	Error    string    `json:"error,omitempty" doc:"why the backup failed"`
}

func newBackupResult(run *backupRun, m backup.Manifest, err error) *backupResult {
	result := &backupResult{To: run.to, Started: run.began.UTC(), Finished: time.Now().UTC(), Bytes: run.progress.Bytes.Load(), Written: run.progress.Written.Load()}
	if err != nil {
		result.Error = err.Error()
		return result
	}
	result.ID, result.Mark, result.Objects, result.Problems = m.ID, m.Mark, m.Objects, m.Problems
	return result
}

func (h *backupHistory) add(result *backupResult) {
	h.Last = result
	if result.Error == "" {
		h.LastSuccess = result
	}
}

func backupHistoryPath(dir string) string { return filepath.Join(dir, "backups.json") }

func readBackupHistory(dir string) (h backupHistory, err error) {
	content, err := os.ReadFile(backupHistoryPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &h)
	}
	if err != nil {
		return h, fmt.Errorf("history of backups: %w", err)
	}
	return h, nil
}

// write replaces the file. A crash of the machine may lose it, which has no consequence but another backup.
func (h *backupHistory) write(dir string) error {
	content, err := json.Marshal(h)
	if err != nil {
		return err
	}
	draft := backupHistoryPath(dir) + ".new"
	if err := os.WriteFile(draft, append(content, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(draft, backupHistoryPath(dir))
}

// backupMetrics are the metrics of backups.
type backupMetrics struct {
	success, duration, bytes prometheus.Gauge
	failures                 prometheus.Counter
}

func newBackupMetrics(reg prometheus.Registerer) backupMetrics {
	factory := promauto.With(reg)
	gauge := func(name, help string) prometheus.Gauge {
		return factory.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	return backupMetrics{
		success:  gauge("assay_backup_last_success_timestamp_seconds", "Time of the mark of the last complete backup; 0 if there is none."),
		duration: gauge("assay_backup_last_duration_seconds", "Duration of the last complete backup."),
		bytes:    gauge("assay_backup_last_bytes", "Size of what the last complete backup contains."),
		failures: factory.NewCounter(prometheus.CounterOpts{Name: "assay_backup_failures_total", Help: "Backups that failed or were canceled."}),
	}
}

// show sets the gauges.
func (m backupMetrics) show(h backupHistory) {
	if h.LastSuccess == nil {
		return
	}
	m.success.Set(float64(h.LastSuccess.Mark.UnixMilli()) / 1000)
	m.duration.Set(h.LastSuccess.Finished.Sub(h.LastSuccess.Started).Seconds())
	m.bytes.Set(float64(h.LastSuccess.Bytes))
}
