package backup

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

var backups = flag.Int("backup.count", 2, "number of backups during load")

// uploadsPerBackup is the number of uploads between two backups.
const uploadsPerBackup = 30

// shortProjectorLease lets another projector take over soon after a kill.
const shortProjectorLease = "ASSAY_PROJECTOR_LEASE=1s"

// made is a backup that was complete.
type made struct {
	result client.BackupResult
	to     string
}

// world is a server under load, with its repositories.
type world struct {
	*system.Server
	env    []string // of every process: where the credentials of the repository in S3 are
	to     []string // repositories
	random *rand.Rand
	ends   int // number of backups that were interrupted
}

// TestBackupsDuringLoad: backups are made while clients upload to all areas. Half of them are interrupted: the server is
// killed, or the backup is canceled, and another one continues it. Each complete one restores to a folder that verify finds
// clean, and a server on it has every item that a client was promised before the mark, and finishes all work.
func TestBackupsDuringLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("make backups runs it")
	}
	w := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(*backups+1)*3*time.Minute)
	defer cancel()
	l := system.StartLoad(ctx, t, w.System, *backups*uploadsPerBackup)
	var all []made
	l.During(w.random, *backups, func(part int) {
		to := w.to[part%len(w.to)]
		if part%4 > 1 || *backups < 4 {
			w.interrupt(ctx, t, to)
		}
		all = append(all, made{w.complete(ctx, t, to), to})
	})
	l.Audit(ctx, t)
	if len(all) != *backups || w.ends == 0 {
		t.Errorf("%d backups are complete and %d were interrupted, want %d and some", len(all), w.ends, *backups)
	}
	for _, to := range w.to {
		verified := system.Launch(t, "assay", w.env, "verify", "--from", to)
		if status := verified.EndWithin(ctx, t); status != 0 {
			t.Errorf("verify --from %s: exit status %d\n%s", to, status, verified.Output)
		}
	}
	for i, one := range all {
		t.Run(fmt.Sprint(i), func(t *testing.T) { w.restored(ctx, t, one, l.Promises) })
	}
}

// start starts the server, and another one whose S3 engine has the second repository.
func start(t *testing.T) *world {
	t.Helper()
	target := system.StartServer(t, t.TempDir())
	_, err := target.Objects().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("backups")})
	if err != nil {
		t.Fatal(err)
	}
	profiles := filepath.Join(t.TempDir(), "credentials")
	content := fmt.Sprintf("[assay-backup]\naws_access_key_id = %s\naws_secret_access_key = %s\n", target.AccessKey, target.SecretKey)
	if err := os.WriteFile(profiles, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{env: []string{"AWS_SHARED_CREDENTIALS_FILE=" + profiles}, random: rand.New(rand.NewPCG(system.LoadSeed(), 5))}
	w.to = []string{filepath.Join(t.TempDir(), "repository"), "s3://backups/of/assay?region=us-east-1&endpoint=" + target.S3}
	w.Server = system.StartServer(t, t.TempDir(), append([]string{system.ShortLease, shortProjectorLease}, w.env...)...)
	return w
}

// interrupt starts a slow backup, and ends it before it is complete: by the end of the server, or by a call.
func (w *world) interrupt(ctx context.Context, t *testing.T, to string) {
	t.Helper()
	w.ends++
	c := system.OperatorClient(t, w.Operator)
	if _, err := c.StartBackup(ctx, client.BackupRequest{To: to, Rate: "100KiB"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.StartBackup(ctx, client.BackupRequest{To: to}); !conflict(err) {
		t.Errorf("a second backup: got %v, want status 409", err)
	}
	system.Eventually(t, func() error {
		state, err := c.Backups(ctx)
		if err != nil || state.Running != nil && state.Running.Read > 0 {
			return err
		}
		return fmt.Errorf("got %s, want a backup that reads", system.JSON(state))
	})
	<-time.After(time.Duration(w.random.IntN(2000)) * time.Millisecond)
	if w.ends%2 == 1 {
		w.Program.Kill(t)
		w.Restart(t)
	} else {
		if err := c.CancelBackup(ctx); err != nil {
			t.Fatal(err)
		}
		system.Eventually(t, func() error {
			state, err := c.Backups(ctx)
			if err != nil || state.Running == nil && state.Last != nil && strings.Contains(state.Last.Error, "canceled") {
				return err
			}
			return fmt.Errorf("got %s, want a canceled backup", system.JSON(state))
		})
	}
	if state, err := system.OperatorClient(t, w.Operator).Backups(ctx); err != nil || state.Running != nil {
		t.Errorf("after the interruption: got %s, error %v, want no running backup", system.JSON(state), err)
	}
}

func conflict(err error) bool {
	problem, ok := errors.AsType[*client.Problem](err)
	return ok && problem.Status == http.StatusConflict
}

// complete makes a backup.
func (w *world) complete(ctx context.Context, t *testing.T, to string) client.BackupResult {
	t.Helper()
	c, began := system.OperatorClient(t, w.Operator), time.Now()
	if _, err := c.StartBackup(ctx, client.BackupRequest{To: to, Rate: "0"}); err != nil {
		t.Fatal(err)
	}
	var state client.Backups
	system.Eventually(t, func() (err error) {
		if state, err = c.Backups(ctx); err == nil && state.Running != nil {
			err = errors.New("the backup is running")
		}
		return err
	})
	if state.Last == nil || state.Last.Error != "" || state.Last.Mark.Before(began) || len(state.Last.Problems) > 0 {
		t.Fatalf("got %s, want a complete backup", system.JSON(state.Last))
	}
	t.Logf("backup %s: %d objects, %d bytes, %d stored, in %s", state.Last.ID, state.Last.Objects, state.Last.Bytes, state.Last.Written, state.Last.Finished.Sub(state.Last.Started))
	return *state.Last
}

// restored restores a backup, verifies it, and audits a server on it.
func (w *world) restored(ctx context.Context, t *testing.T, one made, promises []audit.Promise) {
	dir := filepath.Join(t.TempDir(), "restored")
	restore := system.Launch(t, "assay", w.env, "restore", "--from", one.to, "--backup", one.result.ID, "--data", dir)
	if status := restore.EndWithin(ctx, t); status != 0 {
		t.Fatalf("restore: exit status %d, want 0\n%s", status, restore.Output)
	}
	verified := system.Launch(t, "assay", w.env, "verify", "--data", dir)
	if status := verified.EndWithin(ctx, t); status != 0 {
		t.Errorf("verify: exit status %d, want 0\n%s", status, verified.Output)
	}
	s := system.StartServer(t, dir, system.ShortLease, shortProjectorLease)
	defer s.Program.Kill(t)
	auditor, err := audit.Open(ctx, s.Auditing())
	if err != nil {
		t.Fatal(err)
	}
	defer auditor.Close()
	before := make([]audit.Promise, len(promises))
	for i, promise := range promises {
		before[i] = promise
		if !promise.At.Before(one.result.Mark) {
			before[i].At = time.Time{}
		}
	}
	report := audit.Report{}
	system.Eventually(t, func() error {
		found, err := auditor.Audit(ctx, before, 0)
		if err != nil {
			return err
		}
		report = found
		var broken []error
		for _, finding := range found.Findings {
			if !open(finding) {
				broken = append(broken, errors.New(finding.String()))
			}
		}
		return errors.Join(broken...)
	})
	t.Logf("accepted before the mark: %d", report.Accepted)
	text := system.RandomText(99, 300) // the server accepts and processes new work
	c := s.Client(t, system.NewOwner())
	system.CheckResult(t, system.Await(t, c, system.UploadMultipart(t, c, "new.txt", "text/plain", []byte(text)).FileID), system.Count(text))
}

// open reports whether a finding is about an item whose upload had begun before the mark and was not accepted: its client
// would continue it, or it expires.
func open(finding audit.Finding) bool {
	return finding.Promise.Run != "no promise" && finding.Promise.At.IsZero() && finding.Kind == audit.Stuck
}
