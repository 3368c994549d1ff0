package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/reason"
)

// End is the required final state of an item.
type End int

// Final states.
const (
	Completed End = iota
	Failed        // with a dead letter if a fault was the reason, and without one if the content was
	Gone          // deleted, with its bytes
)

// Promise is a client's view of one item.
type Promise struct {
	Run  string // the run or test case that made it, shown in findings
	Area string
	ID   string
	// At is when the client received the 2xx. If it is zero, the client received none:
	// the item may then be as promised, or not exist and leave nothing behind.
	At  time.Time
	End End
	// Result is the required result: the JSON statistics of a text file, the sentiment
	// of a feed item, the size and format of an edited photo, the status of a photo
	// batch, or the status and path of a library node. An empty Result is not compared.
	Result string
	// Retried means that the item may have failed before, any number of times.
	Retried bool
}

// Kind classifies a broken promise.
type Kind string

// The kinds.
const (
	Lost    Kind = "lost"    // missing, or with another final state or result, or without outcome event, bytes or dead letter
	Doubled Kind = "doubled" // with two outcome event ids or two rows, or never promised
	Stuck   Kind = "stuck"   // not final, or with a waiting message, an extra dead letter, or differing copies
)

// Finding is a broken promise.
type Finding struct {
	Kind    Kind
	Promise Promise
	Says    string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s: %s %s (%s): %s", f.Kind, f.Promise.Area, f.Promise.ID, f.Promise.Run, f.Says)
}

// Report summarizes an audit. An item counts at most once for each kind.
type Report struct {
	Accepted, Lost, Doubled, Stuck int
	Findings                       []Finding
	// Ended is when each accepted item reached its final state, by id.
	Ended map[string]time.Time
	// Delays are the times from acceptance to the final state, shortest first.
	Delays []time.Duration
}

// Kept reports whether all promises were kept.
func (r Report) Kept() bool { return r.Lost == 0 && r.Doubled == 0 && r.Stuck == 0 }

// Longest returns the longest delay.
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

// judge compares promises with the stored items.
type judge struct {
	waiting     map[string]int
	outcomes    map[string]*outcomeIDs
	deadLetters map[string][]string
	report      Report
}

// promise checks one promise; h is nil if nothing is stored for the item.
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
		add(Stuck, "%d of its messages are queued", n)
	}
	if h != nil {
		found[Lost], found[Doubled], found[Stuck] = append(found[Lost], h.lost...), append(found[Doubled], h.twice...), append(found[Stuck], h.stuck...)
	}
	there := h != nil && h.exists
	outcomes := j.outcomes[p.Area+"/"+p.ID]
	if outcomes == nil {
		outcomes = &outcomeIDs{}
	}
	switch {
	case p.End == Gone && there && accepted:
		add(Lost, "it was deleted, but still exists as %s", h.state)
	case p.End == Gone:
		if n := len(outcomes.completed) + len(outcomes.failed); n > 1 {
			add(Doubled, "it has %d outcomes", n)
		}
	case !there && accepted:
		add(Lost, "it does not exist")
	case !there:
	case !h.final:
		add(Stuck, "its state is %s", h.state)
	default:
		j.ended(p, h, outcomes, add)
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

// ended checks an item in a final state.
func (j *judge) ended(p Promise, h *held, outcomes *outcomeIDs, add func(Kind, string, ...any)) {
	right, other := outcomes.completed, outcomes.failed
	if p.End == Failed {
		right, other = other, right
	}
	if h.failed != (p.End == Failed) {
		add(Lost, "its state is %s", h.state)
		return
	}
	if p.End == Completed && p.Result != "" && p.Result != h.result {
		add(Lost, "its result is %s instead of %s", h.result, p.Result)
	}
	if !h.bytes {
		add(Lost, "its bytes are missing")
	}
	again := p.Retried && p.End == Failed
	switch {
	case len(right) == 0 && !h.silent:
		add(Lost, "it has no outcome event")
	case len(right) > 1 && !again:
		add(Doubled, "it has %d outcomes", len(right))
	case len(other) > 0 && !p.Retried:
		add(Doubled, "it has an outcome event of the other final state")
	}
	deadLetters := j.deadLetters[p.ID]
	switch {
	case p.End == Failed && !reason.Fault(h.reason) && len(deadLetters) > 0 && !p.Retried:
		add(Stuck, "it has a dead letter, although its content was the reason of its failure: %s", deadLetters[0])
	case p.End == Failed && reason.Fault(h.reason) && len(deadLetters) == 0 && !h.quiet:
		add(Lost, "it has no dead letter")
	case p.End == Failed && len(deadLetters) > 1 && !again:
		add(Doubled, "it has %d dead letters: %s", len(deadLetters), strings.Join(deadLetters, "; "))
	case p.End == Completed && len(deadLetters) > 0 && !p.Retried:
		add(Stuck, "it has a dead letter: %s", deadLetters[0])
	}
}

// rest checks stored items without a promise.
func (j *judge) rest(items map[string]map[string]*held) {
	slices.Sort(j.report.Delays)
	for area, left := range items {
		for id, h := range left {
			p := Promise{Run: "no promise", Area: area, ID: id}
			if h.exists {
				j.count(Doubled, p, []string{"it exists as " + string(h.state)})
			}
			j.count(Doubled, p, h.twice)
			j.count(Stuck, p, h.stuck)
		}
	}
	for id, n := range j.waiting {
		j.count(Stuck, Promise{Run: "no promise", ID: id}, []string{fmt.Sprintf("%d of its messages are queued", n)})
	}
	for id, reasons := range j.deadLetters {
		j.count(Stuck, Promise{Run: "no promise", ID: id}, []string{"it has a dead letter: " + reasons[0]})
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

// Recovery returns the 99th percentile of the time from a worker's death to the final
// state of an item, over all items that were accepted before a death and ended after it:
// those that the worker was processing and those queued behind them. It returns zero if
// there are none.
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

// Add adds the findings of an audit of another system.
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
