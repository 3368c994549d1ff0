package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/sweep"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/webhook"
)

// Limits of a trace.
const (
	maxMessages = 50
	maxOutcomes = 20
	// maxSearched is the number of the newest dead letters that are searched, with one request for each.
	maxSearched = 2000
)

// read reads the path of an item. item is what the tables contain about it, or nil. A part that cannot be read is listed in the
// problems.
func (s *Service) read(ctx context.Context, area traced, id string, item *Item) traceView {
	v := newView(area.name, id, item)
	var mu sync.Mutex
	ids := &identifiers{view: &v}
	var reading sync.WaitGroup
	part := func(name string, read func() error) {
		reading.Go(func() {
			if err := read(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				v.Problems = append(v.Problems, fmt.Sprintf("%s: %v", name, err))
			}
		})
	}
	var letters []bus.DeadLetter
	var queued []traceMessage
	var attempted []traceAttempts
	var found []sweep.Finding
	var messages, outcomes []*jetstream.RawStreamMsg
	part("work messages", func() (err error) { queued, messages, err = s.messages(ctx, area, id); return err })
	part("attempts", func() (err error) { attempted, err = s.attempts(ctx, id); return err })
	part("outcomes", func() (err error) {
		outcomes, err = s.bus.Messages(ctx, bus.StreamOutcomes, event.OutcomesOf(area.name, id), maxOutcomes)
		return err
	})
	part("dead letters", func() (err error) { letters, err = s.letters(ctx, id); return err })
	part("findings of sweeps", func() (err error) { found, err = s.findings(ctx, area.name, id); return err })
	reading.Wait()
	v.Messages, v.Attempts, v.Findings = append(v.Messages, queued...), append(v.Attempts, attempted...), append(v.Findings, found...)
	for _, m := range slices.Concat(messages, outcomes) {
		ids.add(event.ParseTrace(m.Header))
	}
	for _, m := range outcomes {
		if err := s.outcome(ctx, &v, m); err != nil {
			v.Problems = append(v.Problems, err.Error())
		}
	}
	for _, l := range letters {
		v.DeadLetters = append(v.DeadLetters, letterOf(l))
		ids.add(l.Trace())
	}
	if item != nil {
		ids.addIDs(item.RequestID, item.TraceID)
	}
	settle(&v)
	slices.Sort(v.Problems)
	return v
}

// messages reads the work messages of an item that are queued or delivered.
func (s *Service) messages(ctx context.Context, area traced, id string) ([]traceMessage, []*jetstream.RawStreamMsg, error) {
	stream, err := s.bus.JS.Stream(ctx, area.work.Stream)
	if err != nil {
		return nil, nil, err
	}
	found, err := stream.Messages(ctx, area.work.StoredAs(area.WorkSubjects(id)), maxMessages)
	if err != nil || len(found) == 0 {
		return nil, found, err
	}
	durables, err := stream.Consumers(ctx)
	var all []traceMessage
	for _, m := range found {
		priority, subject, _ := bus.ParseStored(m.Subject)
		one := traceMessage{
			Stream: area.work.Stream, Sequence: m.Sequence, Subject: subject, StoredAt: m.Time.UTC(), Priority: priority, State: "queued",
		}
		envelope, _ := event.ParseEnvelope(m.Header) // what is unreadable stays empty
		one.EventID = envelope.ID
		if durable := bus.Delivering(durables, m.Subject); durable != nil {
			one.Consumer = bus.ConsumerOf(durable)
			if m.Sequence <= durable.Delivered.Stream {
				one.State = "delivered"
			}
		}
		all = append(all, one)
	}
	return all, found, err
}

// letters reads the dead letters of an item among the newest.
func (s *Service) letters(ctx context.Context, id string) ([]bus.DeadLetter, error) {
	stream, err := s.bus.JS.Stream(ctx, bus.StreamDead)
	if err != nil {
		return nil, err
	}
	state := stream.CachedInfo().State
	var after uint64
	if state.Msgs > maxSearched {
		after = state.LastSeq - maxSearched
	}
	var found []bus.DeadLetter
	for l, err := range s.bus.DeadLetters(ctx, bus.DeadFilter{After: after}) {
		if err != nil {
			return found, err
		}
		if l.Item == id {
			found = append(found, l)
		}
	}
	if after > 0 {
		return found, fmt.Errorf("only those of the newest %d of %d are listed", maxSearched, state.Msgs)
	}
	return found, nil
}

// findings returns the findings of sweeps about an item: those with its id, or with the key of one of its objects.
func (s *Service) findings(ctx context.Context, area, id string) ([]sweep.Finding, error) {
	reports, err := s.reports.List(ctx)
	var found []sweep.Finding
	for _, report := range reports {
		if report.Name != area {
			continue
		}
		for _, f := range slices.Backward(report.Findings) {
			if strings.Contains(f.ID, id) {
				found = append(found, f)
			}
		}
	}
	return found, err
}

// outcome adds an outcome and its deliveries.
func (s *Service) outcome(ctx context.Context, v *traceView, m *jetstream.RawStreamMsg) error {
	envelope, err := event.ParseEnvelope(m.Header)
	if err != nil {
		return fmt.Errorf("outcome %d: %w", m.Sequence, err)
	}
	one := traceOutcome{EventID: envelope.ID, End: "completed", At: envelope.Time.UTC(), StoredAt: m.Time.UTC(), Sequence: m.Sequence}
	if envelope.Type == "assay.v1.AnalysisFailed" {
		failed := event.AnalysisFailed{}
		if err := event.Unmarshal(m.Data, &failed); err != nil {
			return fmt.Errorf("outcome %d: %w", m.Sequence, err)
		}
		one.End, one.ErrorCode, one.Error = "failed", failed.ErrorCode, failed.ErrorMessage
	}
	v.Outcomes = append(v.Outcomes, one)
	v.Owner = cmp.Or(v.Owner, web.OwnerDigest(envelope.Owner))
	deliveries, err := s.hooks.DeliveriesOf(ctx, envelope.Owner, envelope.ID, envelope.Time)
	if err != nil {
		return fmt.Errorf("webhook deliveries: %w", err)
	}
	for _, d := range deliveries {
		v.Deliveries = append(v.Deliveries, deliveryOf(d))
	}
	return nil
}

// identifiers collects the ids of the requests and traces of an item, in the order in which they are found.
type identifiers struct{ view *traceView }

func (i *identifiers) add(t event.Trace) { i.addIDs(t.RequestID, obs.Trace(t).ID()) }

func (i *identifiers) addIDs(request, trace string) {
	if request != "" && !slices.Contains(i.view.RequestIDs, request) {
		i.view.RequestIDs = append(i.view.RequestIDs, request)
	}
	if trace != "" && !slices.Contains(i.view.TraceIDs, trace) {
		i.view.TraceIDs = append(i.view.TraceIDs, trace)
	}
}

func letterOf(l bus.DeadLetter) traceLetter {
	return traceLetter{
		Sequence: l.Sequence, Consumer: l.Consumer, Subject: l.Subject, At: l.Last.UTC(), StoredAt: l.First.UTC(), Attempts: l.Attempts, Class: string(l.Class), Reason: l.Reason,
	}
}

func deliveryOf(d webhook.ItemDelivery) traceDelivery {
	v := traceDelivery{
		Endpoint: d.Endpoint.ID, EndpointName: d.Endpoint.Name, EventID: d.EventID, Type: d.Type, Status: string(d.Status), Requests: []traceRequest{},
	}
	if d.NextAt > 0 {
		v.Next = atMillis(d.NextAt)
	}
	for _, a := range d.Attempts {
		v.Requests = append(v.Requests, traceRequest{At: atMillis(a.At), Millis: a.MS, HTTP: a.HTTP, Error: a.Error})
	}
	return v
}
