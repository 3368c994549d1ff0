// Package ledger records the results of fault tests, one JSON line for each run, and
// generates docs/faults.md from them.
//
// A test or a tool that injects a fault calls Enter at the end. Runs are recorded only if
// ASSAY_FAULT_RUNS names a file, as in `make faults`.
package ledger

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// File is the environment variable that names the file of the recorded runs.
const File = "ASSAY_FAULT_RUNS"

// Run is the result of one run, or of several with the same fault.
type Run struct {
	// Fault describes the injected fault. All runs with the same description form one row of the
	// page.
	Fault string `json:"fault"`
	// Means defines "accepted" for this run, as a sentence.
	Means string `json:"means"`
	// Remains describes a known effect of the fault, as a sentence; empty if there is none.
	Remains  string        `json:"remains,omitempty"`
	Seed     uint64        `json:"seed,omitempty"`
	Runs     int           `json:"runs"` // number of runs, or of cases of a matrix
	Accepted int           `json:"accepted"`
	Lost     int           `json:"lost"`
	Doubled  int           `json:"doubled"`
	Stuck    int           `json:"stuck"`
	Longest  time.Duration `json:"longestNs"` // from acceptance to the final state
	// Recovery is the result of audit.Report.Recovery; zero if no worker crashed.
	// Lease is the configured lease.
	Recovery time.Duration `json:"recoveryNs,omitempty"`
	Lease    time.Duration `json:"leaseNs,omitempty"`
	// Overload is the measurement of an overload run.
	Overload *Overload `json:"overload,omitempty"`
}

// Overload measures a system that is offered more work than it can process. Its
// ratios compare it with the same system before the overload in the same run.
type Overload struct {
	Offered int `json:"offered"` // uploads under overload, retries included
	Let     int `json:"let"`     // accepted uploads
	Owner   int `json:"owner"`   // rejected with 429: the limit of one owner is reached
	Stream  int `json:"stream"`  // rejected with 503: the total limit is reached
	// Factor is the ratio of the offered work to the work completed in the same time.
	Factor float64 `json:"factor"`
	// Median and P99 are the ratios of the time that ingest takes to accept an
	// upload.
	Median float64 `json:"medianRatio"`
	P99    float64 `json:"p99Ratio"`
	// Memory is the highest ratio of a service's peak resident memory to its peak
	// after a tenth of the overload.
	Memory float64 `json:"memoryRatio"`
	// Quiet is the 99th percentile of the waiting time of items of an owner with few
	// items. Flood is the median for an owner with many items in the same period.
	Quiet time.Duration `json:"quietNs"`
	Flood time.Duration `json:"floodNs"`
}

// recoverySlack is the time that recovery may take beyond the lease.
const recoverySlack = 5 * time.Second

// ErrLate means that recovery took longer than promised.
var ErrLate = errors.New("recovery took longer than promised")

// InTime returns ErrLate if the 99th percentile of recovery exceeds the lease by
// more than 5 s.
func (r Run) InTime() error {
	if most := r.Lease + recoverySlack; r.Recovery > most {
		return fmt.Errorf("%s: %w: the 99th percentile is %s, the limit is %s", r.Fault, ErrLate, r.Recovery, most)
	}
	return nil
}

// Of returns a copy of the run with the result of an audit.
func (r Run) Of(a audit.Report) Run {
	r.Accepted, r.Lost, r.Doubled, r.Stuck, r.Longest = a.Accepted, a.Lost, a.Doubled, a.Stuck, a.Longest()
	return r
}

// Enter appends a run to the file named by ASSAY_FAULT_RUNS. It is safe for concurrent
// use by several processes. It returns ErrLate for a late run, which is recorded too. If
// the variable is empty, Enter returns nil even for a late run: other tests then run on
// the same machine, so the times are not meaningful.
func Enter(r Run) error {
	name := os.Getenv(File)
	if name == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", File, err)
	}
	_, err = file.Write(append(line, '\n')) // one write, so that lines are not interleaved
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", File, err)
	}
	return r.InTime()
}

// Read parses the lines that Enter has written.
func Read(from io.Reader) ([]Run, error) {
	var runs []Run
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var run Run
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&run); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(runs)+1, err)
		}
		runs = append(runs, run)
	}
	return runs, lines.Err()
}
