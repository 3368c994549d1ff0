// Package ledger keeps what runs under fault came to, one JSON line for each,
// and makes docs/faults.md of them.
//
// A test or a tool that puts the system under a fault ends with Enter. Nothing is
// kept unless ASSAY_FAULT_RUNS names a file, as `make faults` does.
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

// File is the variable that names the file in which the lines are kept.
const File = "ASSAY_FAULT_RUNS"

// Run is what one run came to, or several with the same fault.
type Run struct {
	// Fault is what was done to the system, in the same words for all runs of
	// its kind: a row of the page.
	Fault string `json:"fault"`
	// Means is what "accepted" means in this run, a sentence.
	Means string `json:"means"`
	// Remains is what the fault can still do, a sentence; empty for nothing.
	Remains  string        `json:"remains,omitempty"`
	Seed     uint64        `json:"seed,omitempty"`
	Runs     int           `json:"runs"` // cases, for a matrix
	Accepted int           `json:"accepted"`
	Lost     int           `json:"lost"`
	Doubled  int           `json:"doubled"`
	Stuck    int           `json:"stuck"`
	Longest  time.Duration `json:"longestNs"` // from acceptance to the final state
	// Recovery is the 99th percentile of the time from a worker's death to the
	// final state of the items that it held; zero where no worker died. Lease is
	// the configured one.
	Recovery time.Duration `json:"recoveryNs,omitempty"`
	Lease    time.Duration `json:"leaseNs,omitempty"`
	// Overload is what a run measured that offers more work than can be done.
	Overload *Overload `json:"overload,omitempty"`
}

// Overload is how a system bears more work than it can do. Its ratios compare with
// the same system in the same run, before the overload.
type Overload struct {
	Offered int `json:"offered"` // uploads under overload, retries included
	Let     int `json:"let"`     // of these, accepted
	Owner   int `json:"owner"`   // refused with 429: as much of one owner waits as may
	Stream  int `json:"stream"`  // refused with 503: as much waits altogether as may
	// Factor is how many times what the analyzer did meanwhile was offered.
	Factor float64 `json:"factor"`
	// Median and P99 are those of the time in which ingest accepts an upload.
	Median float64 `json:"medianRatio"`
	P99    float64 `json:"p99Ratio"`
	// Memory is the highest ratio of a service's peak of resident memory to that
	// after a tenth of the overload.
	Memory float64 `json:"memoryRatio"`
	// Quiet is the 99th percentile of how long a quiet owner's items wait, Flood
	// the median of those of an owner that floods at the same time.
	Quiet time.Duration `json:"quietNs"`
	Flood time.Duration `json:"floodNs"`
}

// recoverySlack is what recovery may take beyond the lease.
const recoverySlack = 5 * time.Second

// ErrLate says that recovery took longer than is promised.
var ErrLate = errors.New("recovery took longer than promised")

// InTime returns ErrLate where the 99th percentile of recovery is above the lease
// and 5 s.
func (r Run) InTime() error {
	if most := r.Lease + recoverySlack; r.Recovery > most {
		return fmt.Errorf("%s: %w: its 99th percentile is %s, and may be %s", r.Fault, ErrLate, r.Recovery, most)
	}
	return nil
}

// Of fills in what an audit found.
func (r Run) Of(a audit.Report) Run {
	r.Accepted, r.Lost, r.Doubled, r.Stuck, r.Longest = a.Accepted, a.Lost, a.Doubled, a.Stuck, a.Longest()
	return r
}

// Enter appends a run to the file that the environment names, if it names one.
// Several processes may do so at once. It returns ErrLate for a run that it has
// kept all the same; one that it does not keep shares its machine with other tests,
// so that its times say nothing.
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
	_, err = file.Write(append(line, '\n')) // one write, so that lines stay whole
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
