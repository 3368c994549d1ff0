package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// The limits of the 99th percentile of reads.
const (
	cachedBar   = 10 * time.Millisecond
	uncachedBar = 25 * time.Millisecond
)

// read is a kind of request to measure.
type read struct {
	name, path string
	query      url.Values
}

func kindsOfReads() []read {
	ask := func(name, path string, pairs ...string) read {
		r := read{name, "/v1/feed/" + path, url.Values{}}
		for i := 0; i < len(pairs); i += 2 {
			r.query.Set(pairs[i], pairs[i+1])
		}
		return r
	}
	common, rare := tag(0), tag(watchedTags-2)
	all := []read{ask("summary 24h", "summary", "hours", "24"), ask("summary 168h", "summary", "hours", "168")}
	for _, of := range []struct{ name, tag string }{{"all", ""}, {"tag", common}} {
		for _, each := range [][2]string{{"1m", "1"}, {"1m", "24"}, {"5m", "24"}, {"1h", "24"}, {"1h", "168"}, {"1d", "168"}, {"1m", "168"}} {
			all = append(all, ask(fmt.Sprintf("series %s of %s, %sh", each[0], of.name, each[1]), "series", "bucket", each[0], "hours", each[1], "tag", of.tag))
		}
	}
	return append(all,
		ask("recent", "items", "hours", "24"),
		ask("recent, 168h", "items", "hours", "168"),
		ask("by tag", "items", "hours", "24", "tag", common),
		ask("by a rare tag, 168h", "items", "hours", "168", "tag", rare),
		ask("by sentiment", "items", "hours", "24", "sentiment", "positive"),
		ask("by sentiment, 168h", "items", "hours", "168", "sentiment", "positive"),
		ask("by sentiment and tag, 168h", "items", "hours", "168", "sentiment", "negative", "tag", common),
		ask("by sentiment and a rare tag, 168h", "items", "hours", "168", "sentiment", "negative", "tag", rare),
	)
}

// timing contains the measurements of one kind of read.
type timing struct {
	p50, p99 time.Duration
	cpu      time.Duration // of this process, per read
	requests float64       // to DynamoDB, per read
	bytes    int           // of the response
}

// report measures each kind of read and prints a table. It returns an error if a limit is
// exceeded.
func report(ctx context.Context, s *system, reads int, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "read\tcached p50\tp99\tuncached p50\tp99\tCPU\trequests\tresponse KB\t")
	missed := 0
	for _, kind := range kindsOfReads() {
		// The first read fills the cache.
		if _, err := s.measure(ctx, s.cached, kind, 1); err != nil {
			return err
		}
		cached, err := s.measure(ctx, s.cached, kind, reads)
		if err != nil {
			return err
		}
		uncached, err := s.measure(ctx, s.uncached, kind, reads)
		if err != nil {
			return err
		}
		mark := ""
		if cached.p99 > cachedBar || uncached.p99 > uncachedBar {
			missed++
			mark = "over"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t%s\t\n", kind.name, millis(cached.p50), millis(cached.p99), millis(uncached.p50), millis(uncached.p99), millis(uncached.cpu),
			uncached.requests, float64(uncached.bytes)/1e3, mark)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "Milliseconds, over HTTP; load %s\n", paired.Load())
	if missed > 0 {
		return fmt.Errorf("the 99th percentile of %d kinds of reads exceeds %s with the cache or %s without", missed, cachedBar, uncachedBar)
	}
	return nil
}

func millis(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1e3) }

func (s *system) measure(ctx context.Context, in *instance, kind read, reads int) (timing, error) {
	took := make([]time.Duration, reads)
	var t timing
	before := s.engine.requests.Load()
	used, err := paired.OwnCPU() // unlike wall time, it does not depend on other load on the machine
	if err != nil {
		return t, err
	}
	for i := range took {
		began := time.Now()
		n, err := get(ctx, in.server.Client(), in.server.URL+kind.path+"?"+kind.query.Encode())
		if err != nil {
			return t, fmt.Errorf("%s: %w", kind.name, err)
		}
		took[i], t.bytes = time.Since(began), n
	}
	now, err := paired.OwnCPU()
	if err != nil {
		return t, err
	}
	t.cpu = time.Duration((now - used) / float64(reads) * float64(time.Second))
	slices.Sort(took)
	t.p50, t.p99 = took[reads/2], took[(reads*99+99)/100-1]
	t.requests = float64(s.engine.requests.Load()-before) / float64(reads)
	return t, nil
}

func get(ctx context.Context, client *http.Client, address string) (bytes int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %s", response.Status)
	}
	return int(n), err
}
