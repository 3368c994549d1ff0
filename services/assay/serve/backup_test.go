package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/backup"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/folder"
)

// runningEngines starts engines on a new data folder, with one object. They stop at the end of the test.
func runningEngines(t *testing.T) (e *engines, dir string) {
	t.Helper()
	dir = t.TempDir()
	e = &engines{}
	t.Cleanup(func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	})
	parts, err := folder.Open(dir, false, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	if e.dynamo, err = embedded.StartDynamoDB(embedded.DynamoDBConfig{
		Path: filepath.Join(dir, folder.Database), AccessKey: "key", SecretKey: "secret",
		Opened: func(engine *dynamolite.Engine) error { return parts.Join(engine) },
	}); err != nil {
		t.Fatal(err)
	}
	if e.nats, err = embedded.StartNATS(embedded.NATSConfig{Dir: filepath.Join(dir, folder.Streams), User: "assay", Password: "secret"}); err != nil {
		t.Fatal(err)
	}
	if e.s3, err = embedded.StartS3(t.Context(), embedded.S3Config{Dir: filepath.Join(dir, folder.Objects), AccessKey: "key", SecretKey: "secret"}); err != nil {
		t.Fatal(err)
	}
	client := s3.New(s3.Options{
		BaseEndpoint: aws.String(e.s3.URL()), Region: "us-east-1", UsePathStyle: true, Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	})
	_, err = client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("files")})
	if err == nil {
		_, err = client.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String("a"), Body: strings.NewReader(strings.Repeat("kept", 1<<20))})
	}
	if err != nil {
		t.Fatal(err)
	}
	return e, dir
}

// working returns backups that are made until the test ends.
func working(t *testing.T, e *engines, dir string, schedule backupSchedule) *backups {
	t.Helper()
	b, err := newBackups(e, dir, schedule, zerolog.Nop(), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.work(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return b
}

// ended waits for the end of a run, and returns its result.
func ended(t *testing.T, b *backups, run *backupRun) backupResult {
	t.Helper()
	select {
	case <-run.done:
	case <-time.After(time.Minute):
		t.Fatal("the backup has not ended")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return *b.history.Last
}

// TestBackup checks that a backup of running engines restores to a folder without damage and with the same identity, that one
// backup runs at a time and can be canceled, and that a restore refuses a folder in use.
func TestBackup(t *testing.T) {
	e, dir := runningEngines(t)
	b := working(t, e, dir, backupSchedule{})
	to := filepath.Join(t.TempDir(), "repository")
	slow, err := b.start(backupRequest{to: to, rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.start(backupRequest{to: to}); !errors.Is(err, ErrBackupRunning) {
		t.Errorf("a second backup: got %v, want %v", err, ErrBackupRunning)
	}
	if !b.cancel() {
		t.Error("there is no backup to cancel")
	}
	if got := ended(t, b, slow); got.Error != errCanceled.Error() || got.ID != "" {
		t.Errorf("the canceled backup has the result %+v", got)
	}
	run, err := b.start(backupRequest{to: to, keep: 1})
	if err != nil {
		t.Fatal(err)
	}
	result := ended(t, b, run)
	if result.Error != "" || result.Objects != 1 || result.Mark.Before(run.began) || len(result.Problems) > 0 {
		t.Fatalf("the backup has the result %+v, want one object", result)
	}
	if kept, err := readBackupHistory(dir); err != nil || kept.LastSuccess == nil || kept.LastSuccess.ID != result.ID {
		t.Errorf("the history is %+v, error %v, want the backup", kept, err)
	}
	restored := filepath.Join(t.TempDir(), "restored")
	var out strings.Builder
	if err := Restore(t.Context(), to, result.ID, restored, &out); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), to, "", restored, &out); !errors.Is(err, ErrUsed) {
		t.Errorf("restore to a used folder: got %v, want %v", err, ErrUsed)
	}
	if err := VerifyBackups(t.Context(), to, &out); err != nil {
		t.Errorf("the repository: %v\n%s", err, &out)
	}
	want, err := e.dynamo.Label()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.close(); err != nil { // one S3 engine in a process
		t.Fatal(err)
	}
	*e = engines{}
	said, err := verify(t, restored, false)
	if err != nil || !strings.Contains(said, "objects: 1 objects read") {
		t.Errorf("verify: got %v\n%s", err, said)
	}
	if got, err := embedded.DynamoDBLabel(filepath.Join(restored, folder.Database)); err != nil || got != want {
		t.Errorf("the identity is %q, error %v, want %q", got, err, want)
	}
	if err := os.RemoveAll(filepath.Join(to, "chunks")); err != nil {
		t.Fatal(err)
	}
	if err := VerifyBackups(t.Context(), to, &out); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("a repository without chunks: got %v, want %v", err, backup.ErrDamaged)
	}
}

// TestScheduledBackup checks that a schedule makes the first backup at once, and records a failure.
func TestScheduledBackup(t *testing.T) {
	e, dir := runningEngines(t)
	to := filepath.Join(t.TempDir(), "repository")
	b := working(t, e, dir, backupSchedule{request: backupRequest{to: to, keep: 1}, every: time.Hour})
	for deadline := time.Now().Add(time.Minute); ; {
		b.mu.Lock()
		last := b.history.Last
		b.mu.Unlock()
		if last != nil {
			if last.Error != "" || last.To != to {
				t.Errorf("got %+v, want a backup", last)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("there is no backup")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// TestBackupSchedule checks when the next backup is due.
func TestBackupSchedule(t *testing.T) {
	at := time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)
	done := &backupResult{Started: at, Finished: at.Add(time.Minute)}
	failed := &backupResult{Started: at.Add(24 * time.Hour), Finished: at.Add(25 * time.Hour), Error: "failed"}
	daily := backupSchedule{every: 24 * time.Hour}
	for name, c := range map[string]struct {
		history backupHistory
		want    time.Time
	}{
		"never":          {backupHistory{}, time.Time{}},
		"complete":       {backupHistory{Last: done, LastSuccess: done}, at.Add(24 * time.Hour)},
		"failed":         {backupHistory{Last: failed, LastSuccess: done}, failed.Finished.Add(backupRetry)},
		"only failed":    {backupHistory{Last: failed}, failed.Finished.Add(backupRetry)},
		"failed earlier": {backupHistory{Last: &backupResult{Finished: at, Error: "failed"}, LastSuccess: done}, at.Add(24 * time.Hour)},
	} {
		if got := daily.next(c.history); !got.Equal(c.want) {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// TestBackupSettings checks that unusable settings are rejected by name.
func TestBackupSettings(t *testing.T) {
	usable := Config{BackupEvery: time.Hour, BackupRate: "50MiB"}
	if s, err := usable.backupSchedule(); err != nil || s.request.rate != 50<<20 {
		t.Errorf("got the rate %d, error %v, want 50 MiB", s.request.rate, err)
	}
	for name, change := range map[string]func(*Config){
		"ASSAY_BACKUP_RATE":  func(c *Config) { c.BackupRate = "fast" },
		"ASSAY_BACKUP_EVERY": func(c *Config) { c.BackupEvery = time.Second },
		"ASSAY_BACKUP_KEEP":  func(c *Config) { c.BackupKeep = -1 },
	} {
		c := usable
		change(&c)
		if _, err := c.backupSchedule(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
	for repository, inside := range map[string]bool{"/data": true, "/data/backups": true, "/database": false, "/": false, "s3://data/backups": false} {
		if err := outside("/data", repository); (err != nil) != inside {
			t.Errorf("the repository %s of the folder /data: got %v, want an error: %v", repository, err, inside)
		}
	}
}
