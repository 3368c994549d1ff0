package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

// stream is a modelled stream with its consumers. cluster.mu guards it.
type stream struct {
	cluster  *cluster
	config   jetstream.StreamConfig
	durables map[string]*durable
	order    []*durable
	ids      map[string]bool   // of stored messages
	items    map[string]*entry // stored messages of a queue, by what is unique per item
	sequence uint64
	messages int
	most     int // maximum of messages

	storing, serving line // the goroutines of the leader that store messages, and that serve consumers
	queued           int  // messages that wait to be stored
	rejected         int
}

// mostQueued is the number of messages that may wait to be stored: streamDefaultMaxQueueMsgs of nats-server 2.15.2.
const mostQueued = 100_000

// line executes requests one after another.
type line struct {
	free time.Time     // when all requests so far are executed
	busy time.Duration // sum of the costs
}

// charge adds a request, and returns the time until it is executed.
func (l *line) charge(cost time.Duration) time.Duration {
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free, l.busy = l.free.Add(cost), l.busy+cost
	return l.free.Sub(now)
}

func newStream(s *cluster) *stream {
	return &stream{cluster: s, durables: map[string]*durable{}, ids: map[string]bool{}, items: map[string]*entry{}}
}

// serve calls then after a line has executed all previous requests and this one, and the network has transferred the
// request and the answer. The caller holds cluster.mu, and then is called with it.
func (s *stream) serve(by *line, cost time.Duration, then func()) {
	time.AfterFunc(by.charge(cost)+s.cluster.costs.Network, func() {
		s.cluster.mu.Lock()
		defer s.cluster.mu.Unlock()
		then()
	})
}

// store stores a message and then calls answer with the answer.
func (s *stream) store(m message, answer func([]byte)) {
	if s.queued >= mostQueued {
		s.rejected++
		answer(failure(429, 10167, "too many requests"))
		return
	}
	s.queued++
	s.serve(&s.storing, s.cluster.costs.Publish, func() {
		s.queued--
		answer(s.publish(m))
	})
}

// holds reports whether the stream stores the messages of a subject.
func (s *stream) holds(subject string) bool {
	for _, filter := range s.config.Subjects {
		if matches(filter, subject) {
			return true
		}
	}
	return false
}

// matches reports whether a subject filter selects a subject.
func matches(filter, subject string) bool {
	for {
		want, moreWanted, w := strings.Cut(filter, ".")
		have, moreHave, h := strings.Cut(subject, ".")
		switch {
		case want == ">":
			return true
		case want != "*" && want != have, w != h:
			return false
		case !w:
			return true
		}
		filter, subject = moreWanted, moreHave
	}
}

// queue reports whether acknowledged messages are removed.
func (s *stream) queue() bool { return s.config.Retention == jetstream.WorkQueuePolicy }

// publish stores a message and returns the answer.
func (s *stream) publish(m message) []byte {
	id := value(m.header, jetstream.MsgIDHeader)
	if id != "" && s.ids[id] {
		return fmt.Appendf(nil, `{"stream":%q,"seq":%d,"duplicate":true}`, s.config.Name, s.sequence)
	}
	item := value(m.header, "Nats-Expected-Last-Subject-Sequence-Subject")
	if item != "" && s.items[item] != nil {
		return failure(400, 10071, "wrong last sequence")
	}
	s.sequence++
	s.messages++
	s.most = max(s.most, s.messages)
	if id != "" {
		s.ids[id] = true
	}
	switch {
	case s.config.Name == bus.StreamOutcomes:
		s.cluster.stored(m.subject)
	case s.queue():
		e := &entry{message: m, item: item, sequence: s.sequence, stored: time.Now()}
		s.items[item] = e
		for _, d := range s.order {
			if matches(d.config.FilterSubject, m.subject) {
				d.pending = append(d.pending, e)
				d.dispatch()
			}
		}
	}
	return fmt.Appendf(nil, `{"stream":%q,"seq":%d}`, s.config.Name, s.sequence)
}

// value returns a header of a message, or "".
func value(header []byte, name string) string {
	_, rest, ok := bytes.Cut(header, []byte("\r\n"+name+": "))
	if !ok {
		return ""
	}
	found, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return string(found)
}

// info returns the answer to a request for the state of the stream.
func (s *stream) info(question []byte) []byte {
	var asked struct {
		Subjects string `json:"subjects_filter"`
	}
	if len(question) > 0 && json.Unmarshal(question, &asked) != nil {
		asked.Subjects = ""
	}
	found := jetstream.StreamInfo{
		Config: s.config, TimeStamp: time.Now(),
		State: jetstream.StreamState{Msgs: uint64(s.messages), LastSeq: s.sequence, Consumers: len(s.durables)},
	}
	if asked.Subjects != "" {
		found.State.Subjects = map[string]uint64{}
		for _, e := range s.items {
			if matches(asked.Subjects, e.subject) {
				found.State.Subjects[e.subject] = 1
			}
		}
	}
	return s.cluster.encode(found)
}

// consumer returns the answer to a request for the state of a consumer.
func (s *stream) consumer(name string) []byte {
	d := s.durables[name]
	if d == nil {
		return failure(404, jetstream.JSErrCodeConsumerNotFound, "consumer not found")
	}
	return s.cluster.encode(d.info())
}

// putConsumer creates a consumer, or changes its settings.
func (s *stream) putConsumer(data []byte) []byte {
	var asked struct {
		Config jetstream.ConsumerConfig `json:"config"`
	}
	if err := json.Unmarshal(data, &asked); err != nil {
		s.cluster.fail(err)
		return nil
	}
	d := s.durables[asked.Config.Durable]
	if d == nil {
		d = &durable{stream: s, unsettled: map[uint64]*delivered{}}
		s.durables[asked.Config.Durable] = d
		s.order = append(s.order, d)
		for _, e := range s.items {
			if matches(asked.Config.FilterSubject, e.subject) {
				d.pending = append(d.pending, e)
			}
		}
		slices.SortFunc(d.pending, func(a, b *entry) int { return cmp.Compare(a.sequence, b.sequence) })
	}
	d.config = asked.Config
	return s.cluster.encode(d.info())
}
