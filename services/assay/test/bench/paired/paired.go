// Package paired compares the cost of two ways to do the same work, alternating within one run: own, rival, own,
// rival. Other load on the machine then affects both alike, so the ratio is meaningful even if the absolute numbers
// are not.
//
// A Trial is two sides and the goals for their costs:
//
//	trial := paired.Trial{
//		Title: "4 KB text, upload to COMPLETED",
//		Own:   paired.Side{Name: "assay", Run: func(ctx context.Context) (paired.Sample, error) {…}},
//		Rival: paired.Side{Name: "floor program", Run: …},
//		Goals: []paired.Goal{{ID: "P1", What: "p50", Quantity: "p50", Direction: paired.AtMost, Must: 2, Target: 1.5}},
//	}
//	result, err := trial.Measure(ctx, 5)
//
// A run of a side returns a Sample: quantities by name. Each is a cost (lower is better) in a base unit, such as
// seconds or bytes; a rate is given as its inverse. Command returns a side that runs a program and measures the CPU
// time and wall time of its process.
//
// A goal without a rival (Trial.Rival is the zero Side) applies to the quantity itself.
package paired

import (
	"context"
	"fmt"
	"slices"
)

// Sample is the cost of one run of a side, by quantity.
type Sample map[string]float64

// Add adds the costs of another run to those of s.
func (s Sample) Add(other Sample) {
	for quantity, cost := range other {
		s[quantity] += cost
	}
}

// Side is one of the two programs that are compared.
type Side struct {
	Name string
	Run  func(ctx context.Context) (Sample, error)
}

// Mean returns a side whose cost is the mean of the given number of runs of s, which must be at least 1.
// It is for runs that are too short to be comparable. The side returns the first error.
func (s Side) Mean(runs int) Side {
	return Side{Name: s.Name, Run: func(ctx context.Context) (Sample, error) {
		mean := Sample{}
		for range runs {
			sample, err := s.Run(ctx)
			if err != nil {
				return nil, err
			}
			for quantity, cost := range sample {
				mean[quantity] += cost / float64(runs)
			}
		}
		return mean, nil
	}}
}

// Direction defines how a goal's ratio is computed and compared.
type Direction int

const (
	// AtLeast means that the rival costs at least this many times as much as own.
	AtLeast Direction = iota
	// AtMost means that own costs at most this many times as much as the rival; without a rival,
	// own costs at most this much.
	AtMost
)

// Goal is a limit for the ratio of one quantity. Must is the weaker limit; if it is 0, the ratio
// is reported without a verdict. A Target of 0 means none.
type Goal struct {
	ID           string // as in docs/performance.md, such as W1
	What         string // short description of the comparison
	Quantity     string // name in a Sample
	Direction    Direction
	Must, Target float64
}

// Trial is a comparison.
type Trial struct {
	Title      string
	Own, Rival Side
	// Absent is the reason why the rival cannot run; then nothing is measured.
	Absent string
	Goals  []Goal
}

// Result is the result of a trial.
type Result struct {
	Trial
	OwnRuns, RivalRuns []Sample // in the order of the runs; empty if the rival is absent
	// Failed is the reason why the trial was aborted; its runs get no verdict.
	Failed string
}

// Measure runs both sides once without measuring, and then alternates between them for the given
// number of pairs. It returns the first error of a side.
func (t Trial) Measure(ctx context.Context, pairs int) (Result, error) {
	r := Result{Trial: t}
	if t.Absent != "" {
		return r, nil
	}
	sides := []struct {
		Side
		runs *[]Sample
	}{{t.Own, &r.OwnRuns}, {t.Rival, &r.RivalRuns}}
	for i := range pairs + 1 {
		for _, s := range sides {
			if s.Run == nil {
				continue
			}
			sample, err := s.Run(ctx)
			if err != nil {
				return r, fmt.Errorf("%s, %s: %w", t.Title, s.Name, err)
			}
			if i > 0 { // the first run has cold caches
				*s.runs = append(*s.runs, sample)
			}
		}
	}
	return r, nil
}

// Spread contains the minimum, median and maximum of several numbers.
type Spread struct{ Min, Median, Max float64 }

// Noise returns the ratio of maximum to minimum.
func (s Spread) Noise() float64 { return s.Max / s.Min }

// SpreadOf returns the spread of a non-empty list of numbers.
func SpreadOf(numbers []float64) Spread {
	sorted := slices.Sorted(slices.Values(numbers))
	n := len(sorted)
	return Spread{sorted[0], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1]}
}

func spreadOf(runs []Sample, quantity string) Spread {
	numbers := make([]float64, len(runs))
	for i, run := range runs {
		numbers[i] = run[quantity]
	}
	return SpreadOf(numbers)
}
