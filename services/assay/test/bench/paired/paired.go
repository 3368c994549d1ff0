// Package paired compares what two ways to do the same work cost, in one run and
// in turn: own, rival, own, rival. So whatever else the machine does meets both
// alike, and the ratio means something where the numbers alone do not.
//
// A Trial is two sides and the goals that are judged by what they cost:
//
//	trial := paired.Trial{
//		Title: "4 KB text, upload to COMPLETED",
//		Own:   paired.Side{Name: "assay", Run: func(ctx context.Context) (paired.Sample, error) {…}},
//		Rival: paired.Side{Name: "floor program", Run: …},
//		Goals: []paired.Goal{{ID: "P1", What: "p50", Quantity: "p50", Direction: paired.AtMost, Must: 2, Target: 1.5}},
//	}
//	result, err := trial.Measure(ctx, 5)
//
// A run of a side returns a Sample: any number of quantities by name. Each is a
// cost, of which less is better, in base units: seconds, bytes; a rate is given as
// its inverse. Command makes a side of a program, with the processor time and wall
// time of its process.
//
// A goal without a rival (Trial.Rival is the zero Side) judges the quantity itself.
package paired

import (
	"context"
	"fmt"
	"slices"
)

// Sample is what one run of a side cost, by quantity.
type Sample map[string]float64

// Side is one of the two ways.
type Side struct {
	Name string
	Run  func(ctx context.Context) (Sample, error)
}

// Mean is the side whose run is so many runs of s, at least one, and costs their mean:
// for what is over so soon that one run is not like another. It fails with the first
// run that fails.
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

// Direction says how a goal's ratio is built and read.
type Direction int

const (
	// AtLeast reads: the rival costs at least so many times what own costs.
	AtLeast Direction = iota
	// AtMost reads: own costs at most so many times what the rival costs; without
	// a rival, own costs at most so much.
	AtMost
)

// Goal is a bar for the ratio of one quantity. Must is the lower bar; a Target of
// 0 is none, and neither makes the ratio a number without a verdict.
type Goal struct {
	ID           string // as in docs/performance.md, such as W1
	What         string // what is compared, in a few words
	Quantity     string // the name in a Sample
	Direction    Direction
	Must, Target float64
}

// Trial is a comparison.
type Trial struct {
	Title      string
	Own, Rival Side
	// Absent says why the rival cannot be run, when it cannot: nothing is measured then.
	Absent string
	Goals  []Goal
}

// Result is what a trial came to.
type Result struct {
	Trial
	OwnRuns, RivalRuns []Sample // in the order of the runs; empty when the rival is absent
	// Failed says why the trial was broken off, when it was; the runs until then tell nothing.
	Failed string
}

// Measure runs both sides once unmeasured, and then in turn so many times. It
// returns the first error of a side.
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
			if i > 0 { // the first finds files and caches cold
				*s.runs = append(*s.runs, sample)
			}
		}
	}
	return r, nil
}

// Spread is the least, the middle and the greatest of some numbers.
type Spread struct{ Min, Median, Max float64 }

// Noise is how many times the least the greatest is.
func (s Spread) Noise() float64 { return s.Max / s.Min }

// SpreadOf returns the spread of numbers, of which there is at least one.
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
