// Package ledger records the results of fault tests, one JSON line for each run, and
// generates docs/faults.md from them.
//
// A test or a tool that injects a fault calls Enter at the end. Runs are recorded only if
// ASSAY_FAULT_RUNS names a file, as `make faults` does.
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
	// Means is the meaning of "accepted" in this run, a sentence.
	Means string `json:"means"`
	// Remains is a known effect of the fault, a sentence; empty for none.
	Remains  string        `json:"remains,omitempty"`
	Seed     uint64        `json:"seed,omitempty"`
	Runs     int           `json:"runs"` // cases, for a matrix
	Accepted int           `json:"accepted"`
	Lost     int           `json:"lost"`
	Doubled  int           `json:"doubled"`
	Stuck    int           `json:"stuck"`
	Longest  time.Duration `json:"longestNs"` // from acceptance to the final state
	// Recovery is the 99th percentile of the time from a worker's crash to the
	// final state of its items; zero if no worker crashed. Lease is the
	// configured lease.
	Recovery time.Duration `json:"recoveryNs,omitempty"`
	Lease    time.Duration `json:"leaseNs,omitempty"`
	// Overload is the measurement of an overload run.
	Overload *Overload `json:"overload,omitempty"`
}

// Overload measures a system that is offered more work than it can process. Its
// ratios compare it with the same system before the overload in the same run.
type Overload struct {
	Offered int `json:"offered"` // uploads under overload, retries included
	Let     int `json:"let"`     // of these, accepted
	Owner   int `json:"owner"`   // rejected with 429: the limit of one owner is reached
	Stream  int `json:"stream"`  // rejected with 503: the total limit is reached
	// Factor is the ratio of offered work to work done in the same time.
	Factor float64 `json:"factor"`
	// Median and P99 are the ratios of the time in which ingest accepts an
	// upload.
	Median float64 `json:"medianRatio"`
	P99    float64 `json:"p99Ratio"`
	// Memory is the highest ratio of a service's peak of resident memory to that
	// after a tenth of the overload.
	Memory float64 `json:"memoryRatio"`
	// Quiet is the 99th percentile of the wait of the items of an owner with
	// few items, Flood the median for an owner with many at the same time.
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

// Of returns the run with the result of an audit.
func (r Run) Of(a audit.Report) Run {
	r.Accepted, r.Lost, r.Doubled, r.Stuck, r.Longest = a.Accepted, a.Lost, a.Doubled, a.Stuck, a.Longest()
	return r
}

// Enter appends a run to the file that the environment names, if any. It is safe for
// concurrent use by several processes. It returns ErrLate for a late run, which is
// recorded too. Without a file it returns nil, because the run shares its machine with
// other tests, so its times are not meaningful.
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

// Read reads the lines of a file that Enter wrote.
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
