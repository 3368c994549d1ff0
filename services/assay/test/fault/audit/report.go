package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// End is how an item must end.
type End int

// The ends.
const (
	Completed End = iota
	Failed        // with a dead letter
	Gone          // deleted, with its bytes
)

// Promise is what became of one item as its client knows it.
type Promise struct {
	Run  string // in which run or case it was made, for whoever reads a finding
	Area string
	ID   string
	// At is when the 2xx was seen. Zero says that there was none: the item may
	// then be as promised all the same, or not be there at all, with nothing
	// left behind.
	At  time.Time
	End End
	// Result is how the result must read: for a text file the JSON of its
	// statistics, for a feed item its sentiment. Empty compares nothing.
	Result string
	// Retried says that the item may have failed before, any number of times.
	Retried bool
}

// Kind is what became of a promise that was not kept.
type Kind string

// The kinds.
const (
	Lost    Kind = "lost"    // not there, ended otherwise, another result, no outcome event, no bytes, no dead letter
	Doubled Kind = "doubled" // two outcome event ids, two rows, an item that nobody asked for
	Stuck   Kind = "stuck"   // not final, or something of it waits or is left: a message, a dead letter, list and file apart
)

// Finding is one promise that was not kept.
type Finding struct {
	Kind    Kind
	Promise Promise
	Says    string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s %s (%s): %s", f.Kind, f.Promise.Area, f.Promise.ID, f.Promise.Run, f.Says)
}

// Report sums an audit up. An item counts once for each kind at most.
type Report struct {
	Accepted, Lost, Doubled, Stuck int
	Findings                       []Finding
	// Ended is when each accepted item reached its final state, by id.
	Ended map[string]time.Time
	// Delays are the times from acceptance to the final state, shortest first.
	Delays []time.Duration
}

// Kept says whether every promise was.
func (r Report) Kept() bool { return r.Lost == 0 && r.Doubled == 0 && r.Stuck == 0 }

// Longest is the longest delay.
func (r Report) Longest() time.Duration {
	if len(r.Delays) == 0 {
		return 0
	}
	return r.Delays[len(r.Delays)-1]
}

// findingsShown is how many findings String lists.
const findingsShown = 20

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "accepted %d, lost %d, doubled %d, stuck %d, longest delay %s", r.Accepted, r.Lost, r.Doubled, r.Stuck, r.Longest())
	for i, finding := range r.Findings {
		if i == findingsShown {
			fmt.Fprintf(&b, "\n… and %d more", len(r.Findings)-i)
			break
		}
		b.WriteString("\n" + finding.String())
	}
	return b.String()
}

// judge compares promises with what was read.
type judge struct {
	waiting map[string]int
	told    map[string]*outcomes
	letters map[string][]string
	report  Report
}

// promise judges one item; h is nil when there is none.
func (j *judge) promise(p Promise, h *held) {
	accepted := !p.At.IsZero()
	if accepted {
		j.report.Accepted++
	}
	found := map[Kind][]string{}
	add := func(kind Kind, format string, args ...any) {
		found[kind] = append(found[kind], fmt.Sprintf(format, args...))
	}

	if n := j.waiting[p.ID]; n > 0 {
		add(Stuck, "%d messages of it wait", n)
	}
	if h != nil {
		found[Lost], found[Doubled], found[Stuck] = append(found[Lost], h.lost...), append(found[Doubled], h.twice...), append(found[Stuck], h.stuck...)
	}
	there := h != nil && h.exists
	told := j.told[p.Area+"/"+p.ID]
	if told == nil {
		told = &outcomes{}
	}
	switch {
	case p.End == Gone && there && accepted:
		add(Lost, "it was deleted and is there as %s", h.state)
	case p.End == Gone:
		if n := len(told.completed) + len(told.failed); n > 1 {
			add(Doubled, "it has %d outcomes", n)
		}
	case !there && accepted:
		add(Lost, "it is not there")
	case !there:
	case !h.final:
		add(Stuck, "it is %s", h.state)
	default:
		j.ended(p, h, told, add)
	}
	for _, kind := range []Kind{Lost, Doubled, Stuck} {
		j.count(kind, p, found[kind])
	}
	if accepted && there && h.final {
		if j.report.Ended == nil {
			j.report.Ended = map[string]time.Time{}
		}
		j.report.Ended[p.ID] = h.ended
		j.report.Delays = append(j.report.Delays, max(h.ended.Sub(p.At), 0)) // it may end before its client sees the 2xx
	}
}

// ended judges an item in a final state.
func (j *judge) ended(p Promise, h *held, told *outcomes, add func(Kind, string, ...any)) {
	right, other := told.completed, told.failed
	if p.End == Failed {
		right, other = other, right
	}
	if h.failed != (p.End == Failed) {
		add(Lost, "it is %s", h.state)
		return
	}
	if p.End == Completed && p.Result != "" && p.Result != h.result {
		add(Lost, "its result is %s instead of %s", h.result, p.Result)
	}
	if !h.bytes {
		add(Lost, "its bytes are gone")
	}
	again := p.Retried && p.End == Failed
	switch {
	case len(right) == 0:
		add(Lost, "no event tells of its end")
	case len(right) > 1 && !again:
		add(Doubled, "it has %d outcomes", len(right))
	case len(other) > 0 && !p.Retried:
		add(Doubled, "events tell of the other end too")
	}
	letters := j.letters[p.ID]
	switch {
	case p.End == Failed && len(letters) == 0:
		add(Lost, "it has no dead letter")
	case p.End == Failed && len(letters) > 1 && !again:
		add(Doubled, "it has %d dead letters: %s", len(letters), strings.Join(letters, "; "))
	case p.End == Completed && len(letters) > 0 && !p.Retried:
		add(Stuck, "it has a dead letter: %s", letters[0])
	}
}

// rest judges what nobody was promised.
func (j *judge) rest(items map[string]map[string]*held) {
	slices.Sort(j.report.Delays)
	for area, left := range items {
		for id, h := range left {
			p := Promise{Run: "nobody's", Area: area, ID: id}
			if h.exists {
				j.count(Doubled, p, []string{"it is there as " + string(h.state)})
			}
			j.count(Doubled, p, h.twice)
			j.count(Stuck, p, h.stuck)
		}
	}
	for id, n := range j.waiting {
		j.count(Stuck, Promise{Run: "nobody's", ID: id}, []string{fmt.Sprintf("%d messages of it wait", n)})
	}
	for id, reasons := range j.letters {
		j.count(Stuck, Promise{Run: "nobody's", ID: id}, []string{"it has a dead letter: " + reasons[0]})
	}
}

func (j *judge) count(kind Kind, p Promise, says []string) {
	if len(says) == 0 {
		return
	}
	switch kind {
	case Lost:
		j.report.Lost++
	case Doubled:
		j.report.Doubled++
	case Stuck:
		j.report.Stuck++
	}
	j.report.Findings = append(j.report.Findings, Finding{kind, p, strings.Join(says, "; ")})
}

// Recovery is the 99th percentile of the times from a worker's death to the final
// state, over all items that were accepted before a death and ended after it:
// those that it held, and those that waited behind them. Zero where there are none.
func (r Report) Recovery(promises []Promise, deaths []time.Time) time.Duration {
	var took []time.Duration
	for _, p := range promises {
		for _, death := range deaths {
			if ended, known := r.Ended[p.ID]; known && p.At.Before(death) && ended.After(death) {
				took = append(took, ended.Sub(death))
			}
		}
	}
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[(len(took)*99-1)/100]
}

// Add takes in what an audit of another system found.
func (r *Report) Add(other Report) {
	r.Accepted += other.Accepted
	r.Lost += other.Lost
	r.Doubled += other.Doubled
	r.Stuck += other.Stuck
	r.Findings = append(r.Findings, other.Findings...)
	r.Delays = append(r.Delays, other.Delays...)
	slices.Sort(r.Delays)
	if r.Ended == nil {
		r.Ended = map[string]time.Time{}
	}
	maps.Copy(r.Ended, other.Ended)
}
