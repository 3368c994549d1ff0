package client

import (
	"context"
	"net/http"
	"time"
)

// Backups describes the running backup of a server, the last ones and the schedule. The calls of this file are available only
// at the operator address of "assay serve".
type Backups struct {
	Running     *BackupProgress `json:"running,omitempty"`
	Last        *BackupResult   `json:"last,omitempty"`
	LastSuccess *BackupResult   `json:"lastSuccess,omitempty"`
	Schedule    *BackupSchedule `json:"schedule,omitempty"` // nil if there is none
}

// BackupProgress is the state of the running backup.
type BackupProgress struct {
	To      string    `json:"to"`
	Started time.Time `json:"started"`
	Files   int64     `json:"files"`
	Bytes   int64     `json:"bytes"`   // size of these files
	Read    int64     `json:"read"`    // of these, the bytes that were read
	Written int64     `json:"written"` // compressed bytes added to the repository
}

// BackupResult is the result of a backup.
type BackupResult struct {
	ID       string    `json:"id,omitempty"` // empty if it failed
	To       string    `json:"to"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Mark     time.Time `json:"mark,omitzero"` // everything that was accepted before is in the backup
	Objects  int       `json:"objects"`
	Bytes    int64     `json:"bytes"`
	Written  int64     `json:"written"`
	Problems []string  `json:"problems,omitempty"` // damaged objects
	Error    string    `json:"error,omitempty"`
}

// BackupSchedule is the schedule of backups.
type BackupSchedule struct {
	To    string    `json:"to"`
	Every string    `json:"every"`
	Keep  int       `json:"keep"` // 0 means all
	Next  time.Time `json:"next,omitzero"`
}

// BackupRequest describes a backup. Empty fields mean the server's settings, and that all backups are kept.
type BackupRequest struct {
	To   string `json:"to,omitempty"`
	Rate string `json:"rate,omitempty"`
	Keep int    `json:"keep,omitempty"`
}

// Backups returns the running backup, the last ones and the schedule.
func (c *Client) Backups(ctx context.Context) (Backups, error) {
	var found Backups
	err := c.do(ctx, call{method: http.MethodGet, path: join("backups")}, &found)
	return found, err
}

// StartBackup starts a backup. The error is a *Problem with status 409 if one is running.
func (c *Client) StartBackup(ctx context.Context, request BackupRequest) (BackupProgress, error) {
	var begun BackupProgress
	err := c.do(ctx, call{method: http.MethodPost, path: join("backups"), body: request, once: true}, &begun)
	return begun, err
}

// CancelBackup cancels the running backup, if there is one.
func (c *Client) CancelBackup(ctx context.Context) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("backups")}, nil)
}
