package paired

import "fmt"

// MostNoise is the maximum Noise of a rival's cost; above it, there is no verdict.
const MostNoise = 1.25

// Verdict states whether a goal was met.
type Verdict string

// The verdicts.
const (
	Target  Verdict = "target"
	Must    Verdict = "must"
	Missed  Verdict = "MISSED"
	Noisy   Verdict = "no verdict"
	Absent  Verdict = "rival absent"
	Failed  Verdict = "a run failed"
	NoGoal  Verdict = "-"
	Unknown Verdict = "not measured"
)

// Judgment contains a goal with its measurement and verdict.
type Judgment struct {
	Goal
	Own, Rival Spread  // zero if not measured
	Ratio      float64 // the median of the ratios of the pairs; without a rival, of the costs
	Verdict    Verdict
	Reason     string // why there is no verdict
}

// Judge returns the judgments of all goals of the trial.
func (r Result) Judge() []Judgment {
	judgments := make([]Judgment, len(r.Goals))
	for i, g := range r.Goals {
		judgments[i] = r.judge(g)
	}
	return judgments
}

func (r Result) judge(g Goal) Judgment {
	j := Judgment{Goal: g}
	if r.Absent != "" {
		j.Verdict, j.Reason = Absent, r.Absent
		return j
	}
	if r.Failed != "" {
		j.Verdict, j.Reason = Failed, r.Failed
		return j
	}
	if len(r.OwnRuns) == 0 {
		j.Verdict, j.Reason = Unknown, "no run"
		return j
	}
	for _, run := range append(r.OwnRuns, r.RivalRuns...) {
		if _, ok := run[g.Quantity]; !ok {
			j.Verdict, j.Reason = Unknown, fmt.Sprintf("a run has no quantity %q", g.Quantity)
			return j
		}
	}
	j.Own = spreadOf(r.OwnRuns, g.Quantity)
	if r.Rival.Run == nil {
		j.Ratio = j.Own.Median
		j.Verdict = g.verdict(j.Ratio)
		return j
	}
	j.Rival = spreadOf(r.RivalRuns, g.Quantity)
	ratios := make([]float64, len(r.OwnRuns))
	for i := range ratios {
		own, rival := r.OwnRuns[i][g.Quantity], r.RivalRuns[i][g.Quantity]
		if ratios[i] = rival / own; g.Direction == AtMost {
			ratios[i] = own / rival
		}
	}
	j.Ratio = SpreadOf(ratios).Median
	if noise := j.Rival.Noise(); noise > MostNoise {
		j.Verdict, j.Reason = Noisy, fmt.Sprintf("the rival's own cost varies by a factor of %.2f", noise)
		return j
	}
	j.Verdict = g.verdict(j.Ratio)
	return j
}

func (g Goal) verdict(ratio float64) Verdict {
	reached := func(bar float64) bool {
		if g.Direction == AtMost {
			return ratio <= bar
		}
		return ratio >= bar
	}
	switch {
	case g.Must == 0:
		return NoGoal
	case g.Target != 0 && reached(g.Target):
		return Target
	case reached(g.Must):
		return Must
	}
	return Missed
}
