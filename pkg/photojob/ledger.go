package photojob

import (
	"slices"
	"strconv"
)

// The steps of a job, as recorded in the ledger.
const (
	StepAnalyze = "analyze"
	StepEdit    = "edit"
	stepRetry   = "retry"   // resets the counts
	stepEarlier = "earlier" // sums up older entries
)

// The outcomes of a call.
const (
	CallSent    = "sent"    // recorded before the request is made
	CallOK      = "ok"      // the response is stored
	CallError   = "error"   // failed or was never sent
	CallUnknown = "unknown" // possibly sent; the response was lost
	CallRefused = "refused" // rejected because of a limit or missing access; not billed
)

// Call is an entry of the ledger: a call to a provider, recorded before it is made. Times are epoch
// milliseconds; costs are millionths of a US dollar.
type Call struct {
	N          int    `dynamodbav:"n"`
	Step       string `dynamodbav:"step"`
	Provider   string `dynamodbav:"provider,omitempty"`
	Model      string `dynamodbav:"model,omitempty"`
	At         int64  `dynamodbav:"at"`
	Until      int64  `dynamodbav:"until,omitempty"` // when the worker stops waiting for the response; 0 for a call that ends with its worker
	Outcome    string `dynamodbav:"outcome,omitempty"`
	HTTP       int    `dynamodbav:"http,omitempty"`
	RequestID  string `dynamodbav:"requestId,omitempty"`
	CostMicros int64  `dynamodbav:"costMicros"`
	Estimated  bool   `dynamodbav:"estimated,omitempty"` // the cost is an upper bound
}

// paid reports whether the provider may bill the call.
func (c Call) paid() bool {
	switch c.Outcome {
	case CallSent, CallOK, CallUnknown:
		return true
	}
	return c.Outcome == CallError && c.CostMicros > 0
}

// Ledger contains all calls of a job, by number.
type Ledger map[string]Call

func (l Ledger) sorted() []Call {
	calls := make([]Call, 0, len(l))
	for _, c := range l {
		calls = append(calls, c)
	}
	slices.SortFunc(calls, func(a, b Call) int { return a.N - b.N })
	return calls
}

// Calls returns the entries in order.
func (l Ledger) Calls() []Call { return l.sorted() }

// Last returns the last call since the last retry, or false if there is none.
func (l Ledger) Last() (Call, bool) {
	calls := l.sorted()
	if len(calls) == 0 {
		return Call{}, false
	}
	last := calls[len(calls)-1]
	return last, last.Step == StepAnalyze || last.Step == StepEdit
}

// retried returns the time of the last retry in epoch milliseconds, or 0.
func (l Ledger) retried() int64 {
	var at int64
	for _, c := range l {
		if c.Step == stepRetry {
			at = max(at, c.At)
		}
	}
	return at
}

// Paid returns the number of calls of a step since the last retry that a provider may bill.
func (l Ledger) Paid(step string) int { return l.count(step, Call.paid) }

// Errors returns the number of calls of a step since the last retry that ended with an error.
func (l Ledger) Errors(step string) int {
	return l.count(step, func(c Call) bool { return c.Outcome == CallError })
}

// Made returns the number of calls of a step since the last retry, except for refused ones.
func (l Ledger) Made(step string) int {
	return l.count(step, func(c Call) bool { return c.Outcome != CallRefused })
}

func (l Ledger) count(step string, counts func(Call) bool) int {
	n := 0
	for _, c := range l.sorted() {
		switch {
		case c.Step == stepRetry:
			n = 0
		case c.Step == step && counts(c):
			n++
		}
	}
	return n
}

// CostMicros returns the cost of all calls, an upper bound on the billed amount.
func (l Ledger) CostMicros() int64 {
	var sum int64
	for _, c := range l {
		sum += c.CostMicros
	}
	return sum
}

// with returns a copy of the ledger with this entry.
func (l Ledger) with(c Call) Ledger {
	all := Ledger{strconv.Itoa(c.N): c}
	for n, other := range l {
		if other.N != c.N {
			all[n] = other
		}
	}
	return all
}

// next returns the number of the next entry.
func (l Ledger) next() int {
	n := 1
	for _, c := range l {
		n = max(n, c.N+1)
	}
	return n
}

// withoutRefused returns the ledger without refused calls: they are irrelevant to the job, and there
// can be many of them.
func (l Ledger) withoutRefused() Ledger {
	kept := Ledger{}
	for n, c := range l {
		if c.Outcome != CallRefused {
			kept[n] = c
		}
	}
	return kept
}

// keptEntries is the number of entries that a ledger retains after a retry.
const keptEntries = 10

// folded returns the ledger with its oldest entries summed up in entry 0 if there are more than
// keptEntries. It keeps calls with the outcome sent, whose final outcome may still be recorded.
func (l Ledger) folded() Ledger {
	calls := l.sorted()
	if len(calls) <= keptEntries {
		return l
	}
	earlier := Call{Step: stepEarlier}
	kept := Ledger{}
	for i, c := range calls {
		if c.Outcome == CallSent || i >= len(calls)-keptEntries {
			kept[strconv.Itoa(c.N)] = c
			continue
		}
		earlier.At = max(earlier.At, c.At)
		earlier.CostMicros += c.CostMicros
		earlier.Estimated = earlier.Estimated || c.Estimated
	}
	return kept.with(earlier)
}

// lacks reports whether another ledger has entries that this one does not.
func (l Ledger) lacks(other Ledger) bool {
	for n := range other {
		if _, exists := l[n]; !exists {
			return true
		}
	}
	return false
}
