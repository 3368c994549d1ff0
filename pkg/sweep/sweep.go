// Package sweep stores the reports of sweeps for operators: the last run and the newest findings of
// each area. They are documents in the table assay-platform, written by analyzers and read by query.
package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-project/assay/pkg/platform"
)

const (
	// MaxFindings is the maximum number of findings stored per area and reported per run.
	MaxFindings = 100
	// maxText is the maximum size of a stored id or error, in bytes.
	maxText = 500
)

// Finding is a problem that a sweep found.
type Finding struct {
	At       time.Time `json:"at"`
	Found    string    `json:"found" example:"lost_message" doc:"code of the problem; see assay sweep --help"`
	ID       string    `json:"id" example:"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"id of the item, or key of the object"`
	Repaired bool      `json:"repaired" example:"true" doc:"false in a dry run, or if the repair failed"`
	Error    string    `json:"error,omitempty" doc:"reason why the repair failed"`
}

// Run is the last run for an area.
type Run struct {
	At       time.Time `json:"at" doc:"start of the run"`
	Read     int       `json:"read" example:"1200" doc:"items and objects read; a timed run reads a part of a large table, and the next run continues from there"`
	Found    int       `json:"found"`
	Repaired int       `json:"repaired"`
	Failed   int       `json:"failed" doc:"the number of findings that could not be repaired"`
	Millis   int64     `json:"millis" example:"840" doc:"duration of the run"`
	DryRun   bool      `json:"dryRun"`
	Error    string    `json:"error,omitempty" doc:"reason why the run is incomplete"`
}

// Area is the stored report of an area.
type Area struct {
	Name     string    `json:"name" example:"textfile"`
	Last     Run       `json:"last"`
	Findings []Finding `json:"findings" doc:"at most 100, newest first"`
}

// Reports stores the reports. It is safe for concurrent use.
type Reports struct{ documents *platform.Store }

// NewReports returns the reports in the table.
func NewReports(documents *platform.Store) *Reports { return &Reports{documents} }

// Add records a run for an area and its findings, newest last. Concurrent runs of several analyzers
// are all recorded.
func (r *Reports) Add(ctx context.Context, area string, run Run, findings []Finding) error {
	for {
		document, err := r.documents.Get(ctx, platform.Sweeps, area)
		if err != nil && !errors.Is(err, platform.ErrNotFound) {
			return err
		}
		kept := Area{Name: area}
		if document.Version > 0 {
			if kept, err = read(document); err != nil {
				return err
			}
		}
		kept.add(run, findings)
		body, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		err = r.documents.Put(ctx, platform.Sweeps, platform.Document{Name: area, Version: document.Version, Body: string(body)})
		if !errors.Is(err, platform.ErrChanged) { // one of the concurrent writers succeeds, so the loop terminates
			return err
		}
	}
}

func (a *Area) add(run Run, findings []Finding) {
	a.Last = run
	a.Last.Error = shortened(run.Error)
	newest := make([]Finding, 0, MaxFindings)
	for i := len(findings) - 1; i >= 0 && len(newest) < MaxFindings; i-- {
		f := findings[i]
		f.ID, f.Error = shortened(f.ID), shortened(f.Error)
		newest = append(newest, f)
	}
	a.Findings = append(newest, a.Findings[:min(len(a.Findings), MaxFindings-len(newest))]...)
}

func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	return text[:maxText] + "…"
}

// List returns the reports of all swept areas by name.
func (r *Reports) List(ctx context.Context) ([]Area, error) {
	documents, err := r.documents.List(ctx, platform.Sweeps)
	if err != nil {
		return nil, err
	}
	all := make([]Area, len(documents))
	for i, document := range documents {
		if all[i], err = read(document); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func read(document platform.Document) (a Area, err error) {
	if err := json.Unmarshal([]byte(document.Body), &a); err != nil {
		return Area{}, fmt.Errorf("report of the sweeps of %s: %w", document.Name, err)
	}
	return a, nil
}
