package serve

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/assay/backup"
)

// DescribeOperator registers the calls of `assay serve` for operators beyond those of the services, in order to describe
// them. They fail.
func DescribeOperator(r *web.Router) { (&backups{}).routes(r) }

// routes registers the calls for operators.
func (b *backups) routes(r *web.Router) {
	web.Register(r, huma.Operation{
		OperationID: "list-backups", Method: http.MethodGet, Path: "/v1/backups", Tags: []string{"backups"},
		Summary:     "Show the running backup, the last ones and the schedule",
		Description: "Only \"assay serve\" has backups. \"assay backup list\" lists all backups of a repository.",
	}, b.get)
	web.Register(r, huma.Operation{
		OperationID: "start-backup", Method: http.MethodPost, Path: "/v1/backups", Tags: []string{"backups"},
		Summary: "Start a backup of the data folder",
		Description: "Everything that was accepted before the call is in the backup. The call returns when the backup has begun; read the calls of " +
			"this path to follow it. What the repository already has is not stored again.",
		DefaultStatus: http.StatusAccepted,
	}, b.post, web.Refusals{http.StatusConflict: {"backup-running"}, http.StatusUnprocessableEntity: {"invalid-backup"}})
	web.Register(r, huma.Operation{
		OperationID: "cancel-backup", Method: http.MethodDelete, Path: "/v1/backups", Tags: []string{"backups"},
		Summary: "Cancel the running backup", Description: "The next backup uses what this one has stored. Succeeds if there is none.",
		DefaultStatus: http.StatusNoContent,
	}, b.delete)
}

// backupReport describes the running backup, the last ones and the schedule.
type backupReport struct {
	Running     *backupProgress `json:"running,omitempty" doc:"the backup that is being made; absent if there is none"`
	Last        *backupResult   `json:"last,omitempty" doc:"the last backup that has ended"`
	LastSuccess *backupResult   `json:"lastSuccess,omitempty" doc:"the last complete backup"`
	Schedule    *backupTimes    `json:"schedule,omitempty" doc:"absent if ASSAY_BACKUP_TO is not set"`
}

// backupProgress is the state of the running backup.
type backupProgress struct {
	To      string    `json:"to" example:"/var/backups/assay"`
	Started time.Time `json:"started"`
	Files   int64     `json:"files" example:"1200" doc:"files that the backup contains so far"`
	Bytes   int64     `json:"bytes" example:"734003200" doc:"their size"`
	Read    int64     `json:"read" example:"1048576" doc:"the bytes that had to be read, because they may have changed since the last backup"`
	Written int64     `json:"written" example:"524288" doc:"the compressed bytes that were added to the repository"`
}

// backupTimes is the schedule.
type backupTimes struct {
	To    string    `json:"to" example:"/var/backups/assay"`
	Every string    `json:"every" example:"24h0m0s"`
	Keep  int       `json:"keep" example:"7" doc:"the number of backups that are kept; 0 means all"`
	Next  time.Time `json:"next,omitzero" doc:"when the next backup is due"`
}

type backupsOutput struct{ Body backupReport }

func (b *backups) get(context.Context, *struct{}) (*backupsOutput, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := &backupsOutput{Body: backupReport{Last: b.history.Last, LastSuccess: b.history.LastSuccess}}
	if b.running != nil {
		out.Body.Running = b.running.report()
	}
	if planned := b.schedule.request; planned.to != "" {
		out.Body.Schedule = &backupTimes{To: planned.to, Every: b.schedule.every.String(), Keep: planned.keep, Next: b.next.UTC()}
	}
	return out, nil
}

func (r *backupRun) report() *backupProgress {
	p := &r.progress
	return &backupProgress{To: r.to, Started: r.began.UTC(), Files: p.Files.Load(), Bytes: p.Bytes.Load(), Read: p.Read.Load(), Written: p.Written.Load()}
}

type startBackupInput struct {
	Body struct {
		To   string `json:"to,omitempty" example:"/var/backups/assay" doc:"the repository: the absolute path of a folder of the server's machine, or s3://BUCKET/PREFIX; by default that of the schedule"`
		Rate string `json:"rate,omitempty" example:"50MiB" doc:"maximum number of bytes read in a second; 0 means no maximum; by default ASSAY_BACKUP_RATE"`
		Keep int    `json:"keep,omitempty" example:"7" minimum:"0" doc:"afterwards, remove all but this number of backups of this data folder; 0 removes none"`
	}
}

type startBackupOutput struct{ Body backupProgress }

func (b *backups) post(ctx context.Context, in *startBackupInput) (*startBackupOutput, error) {
	request := backupRequest{to: cmp.Or(in.Body.To, b.schedule.request.to), keep: in.Body.Keep, rate: b.schedule.request.rate}
	if err := b.complete(ctx, &request, in.Body.Rate); err != nil {
		return nil, web.NewProblem(http.StatusUnprocessableEntity, "invalid-backup", strings.ToUpper(err.Error()[:1])+err.Error()[1:]+".")
	}
	run, err := b.start(request)
	if errors.Is(err, ErrBackupRunning) {
		return nil, web.NewProblem(http.StatusConflict, "backup-running", "A backup is already running. Try again when it has ended, or cancel it.")
	}
	if err != nil {
		return nil, err
	}
	return &startBackupOutput{*run.report()}, nil
}

// complete checks a request.
func (b *backups) complete(ctx context.Context, r *backupRequest, rate string) (err error) {
	if r.to == "" {
		return errors.New("there is no repository: specify one, or set ASSAY_BACKUP_TO")
	}
	if rate != "" {
		if r.rate, err = parseRate(rate); err != nil {
			return err
		}
	}
	if _, err = backup.Open(ctx, r.to); err != nil {
		return err
	}
	return outside(b.dir, r.to)
}

func (b *backups) delete(context.Context, *struct{}) (*struct{}, error) {
	b.cancel()
	return nil, nil
}
