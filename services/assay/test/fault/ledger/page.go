package ledger

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"
	"time"
)

//go:embed faults.md.tmpl
var layout string

// row contains all runs of one fault.
type row struct {
	Run
	Number int // the number of the footnote on what "accepted" means
}

// sums contains the data of the page.
type sums struct {
	Rows      []row
	Means     []string
	Overloads []Overload
	Total     Run
}

// Page returns docs/faults.md for the runs, with the faults in order of first
// appearance.
func Page(runs []Run) (string, error) {
	all := sums{Total: Run{Fault: "all"}}
	for _, run := range runs {
		all.add(run)
	}
	parsed, err := template.New("faults.md").Funcs(template.FuncMap{
		"short": short, "ratio": ratio, "thousands": thousands, "inc": func(i int) int { return i + 1 },
	}).Parse(layout)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	err = parsed.Execute(&page, all)
	return page.String(), err
}

func (s *sums) add(run Run) {
	s.Total.sum(run)
	if run.Overload != nil {
		s.Overloads = append(s.Overloads, *run.Overload)
	}
	for i := range s.Rows {
		if s.Rows[i].Fault == run.Fault {
			s.Rows[i].sum(run)
			return
		}
	}
	number := 0
	for i, means := range s.Means {
		if means == run.Means {
			number = i + 1
		}
	}
	if number == 0 {
		s.Means = append(s.Means, run.Means)
		number = len(s.Means)
	}
	s.Rows = append(s.Rows, row{run, number})
}

func (r *Run) sum(other Run) {
	r.Runs += other.Runs
	r.Accepted += other.Accepted
	r.Lost += other.Lost
	r.Doubled += other.Doubled
	r.Stuck += other.Stuck
	r.Longest = max(r.Longest, other.Longest)
	r.Recovery = max(r.Recovery, other.Recovery)
	r.Lease = max(r.Lease, other.Lease)
}

// short formats a delay in seconds.
func short(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// ratio formats a ratio.
func ratio(r float64) string { return fmt.Sprintf("%.2f", r) }

// thousands formats a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
