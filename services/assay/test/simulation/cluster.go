package simulation

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
)

// cluster is a model of a NATS cluster with JetStream, as a nats.InProcessConnProvider: the protocol, the streams of work
// and outcomes, pull consumers, and the limits of both. Each stream has one leader, which stores one message at a time and
// serves one request of its consumers at a time. The model has no faults, removes no old messages, and delivers nothing to
// plain subscribers.
type cluster struct {
	costs Leader
	// stored is called with the subject of each message that the stream of outcomes stores.
	stored func(subject string)

	mu      sync.Mutex
	streams map[string]*stream
	failed  error // the first request that the model does not implement
}

// Leader is the time that the leader of a stream takes for each request.
type Leader struct {
	Publish time.Duration // store a message
	Pull    time.Duration // answer a request for a message
	Ack     time.Duration // remove a message
	Read    time.Duration // answer a question about the stream or a consumer
	Network time.Duration // from a request to its answer, in addition; the leader does not wait for it
}

// message is a message in the protocol's form.
type message struct {
	subject      string
	header, data []byte
}

func newCluster(costs Leader, stored func(subject string)) *cluster {
	return &cluster{costs: costs, stored: stored, streams: map[string]*stream{}}
}

// InProcessConn returns a new connection to the server.
func (s *cluster) InProcessConn() (net.Conn, error) { return newLink(s), nil }

// receive executes a request of a client.
func (s *cluster) receive(from *link, m message, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(data []byte) { from.deliver(reply, message{data: data}, "") }
	switch {
	case strings.HasPrefix(m.subject, "$JS.ACK."):
		s.acknowledge(m)
	case strings.HasPrefix(m.subject, "$JS.API."):
		s.api(from, m, reply, answer)
	default:
		for _, one := range s.streams {
			if !one.holds(m.subject) {
				continue
			}
			if one.config.Name == bus.StreamAttempts {
				one.storing.charge(s.costs.Publish)
				answer(one.publish(m))
				return
			}
			one.store(m, answer)
			return
		}
	}
}

// api executes a request of the JetStream API.
func (s *cluster) api(from *link, m message, reply string, answer func([]byte)) {
	words := strings.SplitN(strings.TrimPrefix(m.subject, "$JS.API."), ".", 5)
	kind := words[0] + "." + words[1]
	switch kind {
	case "STREAM.CREATE", "STREAM.UPDATE":
		answer(s.putStream(m.data))
		return
	case "STREAM.INFO", "CONSUMER.INFO", "CONSUMER.CREATE", "CONSUMER.MSG", "STREAM.MSG":
	default:
		s.fail(fmt.Errorf("the model does not implement %s", m.subject))
		return
	}
	name := words[2]
	switch kind {
	case "STREAM.MSG": // STREAM.MSG.GET.<stream>
		name = words[3]
	case "CONSUMER.MSG": // CONSUMER.MSG.NEXT.<stream>.<consumer>
		name = words[3]
	}
	st := s.streams[name]
	if st == nil {
		answer(failure(404, jetstream.JSErrCodeStreamNotFound, "stream not found"))
		return
	}
	if kind == "CONSUMER.MSG" {
		st.serve(&st.serving, s.costs.Pull, func() { st.pull(words[4], &request{link: from, inbox: reply}, m.data) })
		return
	}
	// The answers to questions, and to publishes in the log of attempts, take no virtual time, although the leader works on
	// them: the product locks mutexes while it waits for them, and virtual time stops while a goroutine waits for a mutex.
	st.serving.charge(s.costs.Read)
	switch kind {
	case "STREAM.INFO":
		answer(st.info(m.data))
	case "STREAM.MSG": // only the checks of package consume and repeated outcomes look for single messages
		answer(failure(404, jetstream.JSErrCodeMessageNotFound, "no message found"))
	case "CONSUMER.INFO":
		answer(st.consumer(words[3]))
	case "CONSUMER.CREATE":
		answer(st.putConsumer(m.data))
	}
}

// acknowledge executes an acknowledgement: $JS.ACK.<stream>.<consumer>.<delivered>.<sequence>...
func (s *cluster) acknowledge(m message) {
	words := strings.Split(m.subject, ".")
	st := s.streams[words[2]]
	sequence, err := strconv.ParseUint(words[5], 10, 64)
	if err != nil || st == nil || st.durables[words[3]] == nil {
		s.fail(fmt.Errorf("acknowledgement %s: %w", m.subject, err))
		return
	}
	st.serve(&st.serving, s.costs.Ack, func() { st.settle(st.durables[words[3]], sequence, string(m.data)) })
}

func (s *cluster) putStream(data []byte) []byte {
	var cfg jetstream.StreamConfig
	if err := json.Unmarshal(data, &cfg); err != nil {
		s.fail(err)
		return nil
	}
	// The server's form of no limit.
	for _, limit := range []*int64{&cfg.MaxMsgs, &cfg.MaxBytes, &cfg.MaxMsgsPerSubject} {
		if *limit == 0 {
			*limit = -1
		}
	}
	st := s.streams[cfg.Name]
	if st == nil {
		st = newStream(s)
		s.streams[cfg.Name] = st
	}
	st.config = cfg
	return st.info(nil)
}

// fail records a request that the model does not implement. The caller holds mu.
func (s *cluster) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
}

func failure(status int, code jetstream.ErrorCode, text string) []byte {
	return fmt.Appendf(nil, `{"error":{"code":%d,"err_code":%d,"description":%q}}`, status, code, text)
}

// encode returns the JSON of a value that can be encoded.
func (s *cluster) encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		s.fail(err)
	}
	return data
}
