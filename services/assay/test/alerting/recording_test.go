package alerting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// target is a program that is scraped.
type target struct {
	job, instance string
	url           func() string // of the operator address, which changes when a program is restarted
}

func (t target) labels() string { return fmt.Sprintf("instance=%q,job=%q", t.instance, t.job) }

// recording contains the samples of programs at a fixed interval.
type recording struct {
	targets []target
	client  *http.Client
	every   time.Duration
	tail    time.Duration // see usualTail
	began   time.Time
	rounds  []round
	types   map[string]string // by family
	family  map[string]string // by series
}

// round contains the values of all series at a time.
type round struct {
	at     int // in intervals since the beginning of the recording
	values map[string]float64
}

// newRecording returns an empty recording.
func newRecording(t *testing.T, every time.Duration, targets ...target) *recording {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(transport.CloseIdleConnections)
	return &recording{
		targets: targets, client: &http.Client{Transport: transport, Timeout: 10 * time.Second}, every: every, tail: usualTail, began: time.Now(),
		types: map[string]string{"up": "gauge"}, family: map[string]string{},
	}
}

// record scrapes all programs at every interval for the given time.
func (r *recording) record(t *testing.T, d time.Duration) {
	t.Helper()
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); {
		r.scrape(t)
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}

// until scrapes all programs at every interval until the series satisfy a condition, which returns an error otherwise.
func (r *recording) until(t *testing.T, reached func(round) error) {
	t.Helper()
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for ctx := system.Within(t); ; {
		r.scrape(t)
		err := reached(r.rounds[len(r.rounds)-1])
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("after %s: %v", system.Soon, err)
		}
	}
}

// scrape reads the metrics of all programs. A program that does not respond has the value 0 of up and no other series.
func (r *recording) scrape(t *testing.T) {
	t.Helper()
	now := round{int(time.Since(r.began) / r.every), map[string]float64{}}
	if len(r.rounds) > 0 && now.at <= r.rounds[len(r.rounds)-1].at {
		return
	}
	found, failed := make([]exposition, len(r.targets)), make([]error, len(r.targets))
	var scrapes sync.WaitGroup
	for i, to := range r.targets {
		scrapes.Go(func() { found[i], failed[i] = r.read(t.Context(), to) })
	}
	scrapes.Wait()
	for i, to := range r.targets {
		up := "up{" + to.labels() + "}"
		r.family[up] = "up"
		if failed[i] != nil {
			now.values[up] = 0
			continue
		}
		now.values[up] = 1
		maps.Copy(r.types, found[i].types)
		for _, s := range found[i].samples {
			r.family[s.series] = s.family
			now.values[s.series] = s.value
		}
	}
	r.rounds = append(r.rounds, now)
}

func (r *recording) read(ctx context.Context, to target) (exposition, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.url()+"/metrics", nil)
	if err != nil {
		return exposition{}, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return exposition{}, err
	}
	body, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return exposition{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return exposition{}, errors.New(resp.Status)
	}
	return parse(string(body), to.labels())
}

// above is a condition: a series whose name and labels contain all parts has a value above the limit.
func above(limit float64, parts ...string) func(round) error {
	return func(now round) error {
		highest := math.Inf(-1)
		for series, value := range now.values {
			if containsAll(series, parts) {
				highest = max(highest, value)
			}
		}
		if highest > limit {
			return nil
		}
		return fmt.Errorf("the highest value of %q is %v, want more than %v", parts, highest, limit)
	}
}

// each is a condition: all series of a metric, at least one, have a value above the limit.
func each(limit float64, metric string) func(round) error {
	return func(now round) error {
		found := 0
		for series, value := range now.values {
			if strings.HasPrefix(series, metric+"{") {
				if found++; value <= limit {
					return fmt.Errorf("%s is %v, want more than %v", series, value, limit)
				}
			}
		}
		if found == 0 {
			return errors.New("no program exports " + metric)
		}
		return nil
	}
}

// all returns the names of all series, in order.
func (r *recording) all() []string { return slices.Sorted(maps.Keys(r.family)) }
