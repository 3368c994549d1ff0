package dynamolite

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// FaultKind is the kind of an injected fault.
type FaultKind int

const (
	// Throttle returns ProvisionedThroughputExceededException; the request has
	// no effect.
	Throttle FaultKind = iota
	// Conflict returns TransactionConflictException for a write of one item. A
	// transaction returns TransactionCanceledException with the reason
	// TransactionConflict for every action on the fault's table.
	Conflict
	// ErrorBefore returns InternalServerError; the request has no effect.
	ErrorBefore
	// ErrorAfter lets the request take effect durably, and then returns
	// InternalServerError.
	ErrorAfter
	// Delay delays the request by Fault.Delay before it runs.
	Delay
	// Unprocessed makes BatchWriteItem and BatchGetItem leave the last request
	// for the fault's table unprocessed.
	Unprocessed
)

// Fault is a rule that injects a fault into requests that match Operation and Table.
// Skip, Count, Probability and Seed select among these requests.
type Fault struct {
	Kind      FaultKind
	Operation string        // such as "PutItem"; empty matches every operation
	Table     string        // empty matches every table
	Skip      int           // number of matching requests before the first fault
	Count     int           // number of times that the fault occurs; 0 means no limit
	Delay     time.Duration // for the kind Delay
	// Probability, if not 0, is the probability of the fault in each matching request
	// after Skip. Seed seeds the random generator, so that the same sequence of
	// requests has the same faults in every run.
	Probability float64
	Seed        uint64
}

// Faults is the fault injector of an engine. Its methods may be called
// concurrently, and while requests are in progress.
type Faults struct {
	active atomic.Int32 // number of rules; without rules, requests acquire no lock
	mu     sync.Mutex
	rules  []*faultRule
}

type faultRule struct {
	Fault
	matched, fired int
	random         *rand.Rand
}

// Add adds a rule and returns a function that removes it. If several rules
// fire for one request, all delays apply, but only the first failure.
func (f *Faults) Add(fault Fault) (remove func()) {
	rule := &faultRule{Fault: fault, random: rand.New(rand.NewPCG(fault.Seed, 0))}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = append(f.rules, rule)
	f.active.Add(1)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if i := slices.Index(f.rules, rule); i >= 0 {
			f.rules = slices.Delete(f.rules, i, i+1)
			f.active.Add(-1)
		}
	}
}

// Clear removes all rules.
func (f *Faults) Clear() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
	f.active.Store(0)
}

// fires returns the rules that fire for a request on tables: those of the kind
// Unprocessed, or all others.
func (f *Faults) fires(operation string, tables []string, unprocessed bool) []Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	var firing []Fault
	for _, r := range f.rules {
		if (r.Kind == Unprocessed) != unprocessed || r.Operation != "" && r.Operation != operation || r.Table != "" && !slices.Contains(tables, r.Table) {
			continue
		}
		r.matched++
		if r.matched <= r.Skip || r.Count > 0 && r.fired >= r.Count || r.Probability > 0 && r.random.Float64() >= r.Probability {
			continue
		}
		r.fired++
		firing = append(firing, r.Fault)
	}
	return firing
}

// unprocessed reports whether a batch leaves the table's last request
// unprocessed.
func (f *Faults) unprocessed(operation, table string) bool {
	return f.active.Load() > 0 && len(f.fires(operation, []string{table}, true)) > 0
}

// around runs a request and injects the faults whose rules fire.
func (f *Faults) around(ctx context.Context, operation string, body []byte, run handler) (any, error) {
	var firing []Fault
	var tables []string
	if f.active.Load() > 0 {
		tables = touchedTables(body)
		firing = f.fires(operation, tables, false)
	}
	for _, fault := range firing {
		if fault.Kind != Delay {
			continue
		}
		select {
		case <-time.After(fault.Delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for _, fault := range firing {
		switch fault.Kind {
		case Throttle:
			return nil, &apiError{code: "ProvisionedThroughputExceededException", message: "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."}
		case Conflict:
			return nil, conflict(operation, fault.Table, tables)
		case ErrorBefore:
			return nil, errInjected
		}
	}
	out, err := run(body)
	for errors.Is(err, errTableChanged) {
		out, err = run(body)
	}
	for _, fault := range firing {
		if fault.Kind == ErrorAfter && err == nil {
			return nil, errInjected
		}
	}
	return out, err
}

var errInjected = &apiError{code: "InternalServerError", message: "Internal server error (injected)"}

func conflict(operation, table string, tables []string) error {
	if operation != "TransactWriteItems" && operation != "TransactGetItems" {
		return &apiError{code: "TransactionConflictException", message: "Transaction is ongoing for the item"}
	}
	reasons := make([]cancellationReason, len(tables))
	for i, name := range tables {
		reasons[i].Code = "None"
		if table == "" || table == name {
			reasons[i] = cancellationReason{Code: "TransactionConflict", Message: "Transaction is ongoing for the item"}
		}
	}
	return canceled(reasons)
}

// touchedTables returns the tables that a request names. For a transaction it
// returns one for each action, in order.
func touchedTables(body []byte) []string {
	var in struct {
		TableName     string
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]struct{ TableName string }
	}
	if json.Unmarshal(body, &in) != nil {
		return nil // the operation returns the error
	}
	if len(in.TransactItems) > 0 {
		tables := make([]string, len(in.TransactItems))
		for i, action := range in.TransactItems {
			for _, target := range action {
				tables[i] = target.TableName
			}
		}
		return tables
	}
	if in.TableName != "" {
		return []string{in.TableName}
	}
	return slices.Sorted(maps.Keys(in.RequestItems))
}
