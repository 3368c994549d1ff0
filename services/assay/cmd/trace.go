package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/client"
)

func newTrace(s *settings) *cobra.Command {
	var area string
	cmd := &cobra.Command{
		Use: "trace ID", Short: "Show the path of an item with times",
		Long: `Show the path of an item with times: a text file, a feed item, a photo job or batch, or a
node of the library. It contains what the tables, the work stream, the log of attempts, the
outcomes, the dead letters, the webhooks and the sweeps state about the item, and the ids of
its request and its trace. It needs no collector.

A first attempt that succeeds within half a second is not logged, and one whose worker
crashes within that time is listed without the time of its beginning. The log keeps the last
16 attempts at a message for 7 days.

The command calls the operator address of query: --operator, else ASSAY_OPERATOR, else that
of a running "assay serve".`,
		Example: `  assay trace 0192f7c0-7a3c-7cc1-b111-53f1c30f1c44
  assay trace 'newsapi#article-abc123' --area feed --json`,
	}
	cmd.Flags().StringVar(&area, "area", "", "only look in this area, such as textfile")
	traces := item[client.Trace]{settings: s, connect: s.operatorClient, fields: traceFields}
	return s.operators(traces.newShow(cmd, func(c *client.Client, ctx context.Context, id string) (client.Trace, error) {
		return c.Trace(ctx, strings.TrimSpace(id), area)
	}), "8085")
}

// traceFields adds the item, then everything that happened to it in the order of time, then what has no time.
func traceFields(t *columns, v client.Trace) {
	t.field("item", v.ID)
	t.field("area", v.Area)
	t.field("name", v.Name)
	t.field("owner", v.Owner)
	t.field("state", cmp.Or(v.State, "not in the tables: deleted, or expired"))
	t.field("error", v.Error)
	for _, id := range v.RequestIDs {
		t.field("request", id)
	}
	for _, id := range v.TraceIDs {
		t.field("trace", id)
	}
	for _, problem := range v.Problems {
		t.field("problem", problem)
	}
	t.row()
	path := pathOf(v)
	if len(path) > 0 {
		t.row("TIME", "AFTER", "WHAT")
	}
	for _, e := range path {
		t.row(clock(e.at), after(e.at.Sub(path[0].at)), e.what)
	}
	if slices.ContainsFunc(v.Parts, func(p client.TracePart) bool { return p.At.IsZero() }) {
		t.row()
		t.row("PART", "STATE", "DETAIL")
	}
	for _, p := range v.Parts {
		if p.At.IsZero() {
			t.row(p.Name, p.State, partDetail(p))
		}
	}
}

// clock formats a time to the millisecond, in the time zone of the user.
func clock(at time.Time) string { return at.Local().Format("2006-01-02 15:04:05.000") }

// after formats the time since the first line.
func after(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("+%.3fs", d.Seconds())
	}
	return "+" + d.Round(time.Second).String()
}

func partDetail(p client.TracePart) string {
	var all []string
	if p.Attempts > 0 {
		all = append(all, fmt.Sprintf("%s, %d ms", count(p.Attempts, "attempt"), p.Millis))
	}
	if p.Detail != "" {
		all = append(all, p.Detail)
	}
	return strings.Join(all, "; ")
}

// traced is a line of the path of an item.
type traced struct {
	at   time.Time
	what string
}

// pathOf returns everything with a time, in the order of time.
func pathOf(v client.Trace) []traced {
	var path []traced
	add := func(at time.Time, format string, values ...any) {
		if !at.IsZero() {
			path = append(path, traced{at, fmt.Sprintf(format, values...)})
		}
	}
	for _, m := range v.Moments {
		add(m.At, "%s", m.What)
	}
	for _, p := range v.Parts {
		add(p.At, "%s: %s", p.Name, strings.TrimSuffix(p.State+"; "+partDetail(p), "; "))
	}
	for _, m := range v.Messages {
		add(m.StoredAt, "work queued: %s %d, priority %d, %s", m.Stream, m.Sequence, m.Priority, m.State)
	}
	for _, of := range v.Attempts {
		if !of.Stored {
			add(of.StoredAt, "work queued for %s: message %d", of.Consumer, of.Sequence)
		}
		if len(of.Attempts) == 0 {
			add(of.StoredAt, "%s at message %d began before attempts were logged with times; the last %d ended without a result",
				count(of.Begun, "attempt"), of.Sequence, of.Unended)
		}
		for _, a := range of.Attempts {
			addAttempt(add, of, a)
		}
	}
	for _, o := range v.Outcomes {
		add(o.StoredAt, "outcome %s: %s", o.End, strings.TrimSuffix(o.EventID+"; "+o.Error, "; "))
	}
	for _, l := range v.DeadLetters {
		add(l.At, "dead letter %d of %s, %s after %s: %s", l.Sequence, l.Consumer, cmp.Or(l.Class, "given up"), attempts(client.DeadLetter{Attempts: l.Attempts}), l.Reason)
	}
	for _, d := range v.Deliveries {
		addDelivery(add, d)
	}
	for _, f := range v.Findings {
		end := "repaired"
		if !f.Repaired {
			end = strings.TrimSuffix("not repaired; "+f.Error, "; ")
		}
		add(f.At, "sweep found %s: %s", f.Found, end)
	}
	slices.SortStableFunc(path, func(a, b traced) int { return a.at.Compare(b.at) })
	return path
}

// addAttempt adds the beginning and the end of an attempt.
func addAttempt(add func(time.Time, string, ...any), of client.MessageAttempts, a client.Attempt) {
	name := fmt.Sprintf("attempt %d of %s", a.Number, of.Consumer)
	const lost = "ended without a result before %s: the worker crashed or lost its connection"
	switch {
	case !a.Recorded:
		add(of.StoredAt, "%s: not recorded; "+lost, name, clock(a.EndedBefore))
	case !a.EndedBefore.IsZero():
		add(a.Began, "%s began (%s); "+lost, name, a.Worker, clock(a.EndedBefore))
	case a.Ended.IsZero() && a.Outcome == "open":
		add(a.Began, "%s began (%s); it has not ended, or its worker crashed", name, a.Worker)
	case a.Ended.IsZero():
		add(a.Began, "%s began (%s); its end is not recorded", name, a.Worker)
	default:
		add(a.Began, "%s began (%s)", name, a.Worker)
		add(a.Ended, "%s ended: %s", name, strings.TrimSuffix(a.Outcome+"; "+a.Reason, "; "))
	}
}

// addDelivery adds the requests of a delivery to an endpoint.
func addDelivery(add func(time.Time, string, ...any), d client.TraceDelivery) {
	endpoint := cmp.Or(d.EndpointName, d.Endpoint)
	for _, r := range d.Requests {
		answer := r.Error
		if r.HTTP > 0 {
			answer = fmt.Sprintf("HTTP %d", r.HTTP)
		}
		add(r.At, "webhook %s: %s in %d ms", endpoint, answer, r.Millis)
	}
	add(d.Next, "webhook %s: next request", endpoint)
}
