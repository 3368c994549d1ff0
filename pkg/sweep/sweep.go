// Package sweep keeps the reports of sweeps for operators: of each area the last run, and the newest
// findings. They are documents of the table assay-platform, which analyzers write and query reads.
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
	// MaxFindings is how many findings of an area are kept, and how many of a run are reported.
	MaxFindings = 100
	// maxText is how many bytes of an id or an error are kept.
	maxText = 500
)

// Finding is something that a sweep found wrong.
type Finding struct {
	At       time.Time `json:"at"`
	Found    string    `json:"found" example:"lost_message" doc:"a code, see assay sweep --help"`
	ID       string    `json:"id" example:"0192f7c0-7a3c-7cc1-b111-53f1c30f1c44" doc:"of the item, or the key of an object"`
	Repaired bool      `json:"repaired" example:"true" doc:"false in a dry run, and where the repair failed"`
	Error    string    `json:"error,omitempty" doc:"why it could not be repaired"`
}

// Run is the last run over an area.
type Run struct {
	At       time.Time `json:"at" doc:"when it began"`
	Read     int       `json:"read" example:"1200" doc:"items and objects. A timed run reads a part of a large table, and the next run continues there"`
	Found    int       `json:"found"`
	Repaired int       `json:"repaired"`
	Failed   int       `json:"failed" doc:"findings that could not be repaired"`
	Millis   int64     `json:"millis" example:"840" doc:"how long it took"`
	DryRun   bool      `json:"dryRun"`
	Error    string    `json:"error,omitempty" doc:"why it did not read everything it was to read"`
}

// Area is what is kept of an area.
type Area struct {
	Name     string    `json:"name" example:"textfile"`
	Last     Run       `json:"last"`
	Findings []Finding `json:"findings" doc:"at most 100, newest first"`
}

// Reports stores the reports. It is safe for concurrent use.
type Reports struct{ documents *platform.Store }

// NewReports returns the reports in the table.
func NewReports(documents *platform.Store) *Reports { return &Reports{documents} }

// Add records a run over an area and its findings, the newest last. Runs of several analyzers are
// recorded one after the other.
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
		if !errors.Is(err, platform.ErrChanged) { // one of several concurrent writers succeeds, so the loop ends
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

// List returns the reports of all areas that were swept, by name.
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
