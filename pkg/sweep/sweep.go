// Package sweep stores the reports of sweeps for operators: the last run, the newest findings and the stops of
// each area. They are documents in the table assay-platform, written by analyzers and read by query.
package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// Stop records that sweeps delete no orphans of one kind, because there are suspiciously many.
type Stop struct {
	At       time.Time `json:"at" doc:"when a sweep found them first"`
	Walk     string    `json:"walk" example:"objects" doc:"the data that the sweep read"`
	Found    string    `json:"found" example:"orphan_object" doc:"code of the findings that would be deleted"`
	Orphans  int       `json:"orphans" example:"90" doc:"the number of orphans"`
	Of       int       `json:"of" example:"90" doc:"the number of things that the sweep compared"`
	Examples []string  `json:"examples" doc:"ids or keys of some orphans"`
	Reason   string    `json:"reason" doc:"what is wrong, and what to do"`
}

// Area is the stored report of an area.
type Area struct {
	Name     string    `json:"name" example:"textfile"`
	Last     Run       `json:"last"`
	Stops    []Stop    `json:"stops" doc:"orphans that sweeps do not delete until an operator allows it"`
	Findings []Finding `json:"findings" doc:"at most 100, newest first"`
}

// Reports stores the reports. It is safe for concurrent use.
type Reports struct{ documents *platform.Store }

// NewReports returns the reports in the table.
func NewReports(documents *platform.Store) *Reports { return &Reports{documents} }

// Add records a run for an area and its findings, newest last. Concurrent runs of several analyzers
// are all recorded.
func (r *Reports) Add(ctx context.Context, area string, run Run, findings []Finding) error {
	return r.change(ctx, area, func(a *Area) { a.add(run, findings) })
}

// Stop records a stop. It replaces the earlier stop of the same walk and finding.
func (r *Reports) Stop(ctx context.Context, area string, stop Stop) error {
	return r.change(ctx, area, func(a *Area) { a.Stops = append(slices.DeleteFunc(a.Stops, stop.same), stop) })
}

// Resume removes a stop.
func (r *Reports) Resume(ctx context.Context, area string, stop Stop) error {
	return r.change(ctx, area, func(a *Area) { a.Stops = slices.DeleteFunc(a.Stops, stop.same) })
}

func (s Stop) same(other Stop) bool { return s.Walk == other.Walk && s.Found == other.Found }

// Stops returns the stops of an area.
func (r *Reports) Stops(ctx context.Context, area string) ([]Stop, error) {
	document, err := r.documents.Get(ctx, platform.Sweeps, area)
	if errors.Is(err, platform.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	kept, err := read(document)
	return kept.Stops, err
}

// change changes the report of an area. Concurrent changes are all made.
func (r *Reports) change(ctx context.Context, area string, change func(*Area)) error {
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
		change(&kept)
		err = r.documents.PutJSON(ctx, platform.Sweeps, area, document.Version, kept)
		if !errors.Is(err, platform.ErrChanged) { // one of the concurrent writers succeeds, so the loop terminates
			return err
		}
	}
}

func (a *Area) add(run Run, findings []Finding) {
	a.Last = run
	a.Last.Error = Shortened(run.Error)
	newest := make([]Finding, 0, MaxFindings)
	for i := len(findings) - 1; i >= 0 && len(newest) < MaxFindings; i-- {
		f := findings[i]
		f.ID, f.Error = Shortened(f.ID), Shortened(f.Error)
		newest = append(newest, f)
	}
	a.Findings = append(newest, a.Findings[:min(len(a.Findings), MaxFindings-len(newest))]...)
}

// Shortened returns a text as it is stored in a report: cut off if it is long.
func Shortened(text string) string {
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
	if a.Stops == nil { // stored by an older version
		a.Stops = []Stop{}
	}
	return a, nil
}
