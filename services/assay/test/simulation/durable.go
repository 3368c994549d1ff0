package simulation

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// mostWaiting is the number of requests that may wait at a consumer: JSWaitQueueDefaultMax of nats-server 2.15.2. The
// product does not set another limit.
const mostWaiting = 512

// durable is a modelled pull consumer. cluster.mu guards it.
type durable struct {
	stream    *stream
	config    jetstream.ConsumerConfig
	pending   []*entry
	waiting   []*request
	unsettled map[uint64]*delivered
	delivered uint64
	refused   int // requests beyond mostWaiting
	full      int // times that messages and requests waited because MaxAckPending was reached
}

// entry is a message that waits for its delivery.
type entry struct {
	message
	item       string
	sequence   uint64
	stored     time.Time
	deliveries int
}

// delivered is a message that is not settled.
type delivered struct {
	*entry
	lease *time.Timer
}

// request is a client's request for a message.
type request struct {
	link  *link
	inbox string
	timer *time.Timer // ends the wait; nil if the request does not wait
	ended bool
}

func (r *request) refuse(status int, text string) {
	r.ended = true
	r.link.deliver(r.inbox, message{header: fmt.Appendf(nil, "NATS/1.0 %d %s\r\n\r\n", status, text)}, "")
}

// pull executes a request for one message.
func (s *stream) pull(name string, r *request, data []byte) {
	d := s.durables[name]
	var asked struct {
		NoWait  bool          `json:"no_wait"`
		Expires time.Duration `json:"expires"`
	}
	if err := json.Unmarshal(data, &asked); err != nil || d == nil {
		s.cluster.fail(fmt.Errorf("request to %s: %s: %w", name, data, err))
		return
	}
	if asked.NoWait && len(d.pending) == 0 {
		r.refuse(404, "No Messages")
		return
	}
	if len(d.waiting) >= mostWaiting {
		d.waiting = d.open()
	}
	if len(d.waiting) >= mostWaiting {
		d.refused++
		r.refuse(409, "Exceeded MaxWaiting")
		return
	}
	d.waiting = append(d.waiting, r)
	d.dispatch()
	switch {
	case r.ended:
	case asked.NoWait:
		r.refuse(408, "Requests Pending")
	default:
		r.timer = time.AfterFunc(asked.Expires, func() {
			s.cluster.mu.Lock()
			defer s.cluster.mu.Unlock()
			if !r.ended {
				r.refuse(408, "Request Timeout")
			}
		})
	}
}

// open returns the requests that have not ended.
func (d *durable) open() []*request {
	var open []*request
	for _, r := range d.waiting {
		if !r.ended {
			open = append(open, r)
		}
	}
	return open
}

// dispatch delivers messages while there are requests, and fewer unsettled messages than the limit.
func (d *durable) dispatch() {
	for len(d.pending) > 0 && len(d.waiting) > 0 {
		r := d.waiting[0]
		if r.ended {
			d.waiting = d.waiting[1:]
			continue
		}
		if len(d.unsettled) >= d.config.MaxAckPending {
			d.full++
			return
		}
		e := d.pending[0]
		d.pending, d.waiting = d.pending[1:], d.waiting[1:]
		r.ended = true
		if r.timer != nil {
			r.timer.Stop()
		}
		d.deliver(r, e)
	}
}

func (d *durable) deliver(r *request, e *entry) {
	e.deliveries++
	d.delivered++
	reply := fmt.Sprintf("$JS.ACK.%s.%s.%d.%d.%d.%d.%d", d.stream.config.Name, d.config.Durable, e.deliveries, e.sequence, d.delivered, e.stored.UnixNano(), len(d.pending))
	out := &delivered{entry: e}
	out.lease = time.AfterFunc(d.config.AckWait, func() {
		d.stream.cluster.mu.Lock()
		defer d.stream.cluster.mu.Unlock()
		if d.unsettled[e.sequence] == out {
			d.again(e)
		}
	})
	d.unsettled[e.sequence] = out
	if !r.link.deliver(r.inbox, e.message, reply) { // the client has gone
		out.lease.Reset(0)
	}
}

// again makes an unsettled message pending.
func (d *durable) again(e *entry) {
	delete(d.unsettled, e.sequence)
	d.pending = append([]*entry{e}, d.pending...)
	d.dispatch()
}

// settle executes an acknowledgement.
func (s *stream) settle(d *durable, sequence uint64, how string) {
	out := d.unsettled[sequence]
	if out == nil {
		return
	}
	verb, rest, _ := strings.Cut(how, " ")
	switch verb {
	case "+WPI":
		out.lease.Reset(d.config.AckWait)
	case "-NAK":
		var asked struct {
			Delay time.Duration `json:"delay"`
		}
		if rest != "" {
			if err := json.Unmarshal([]byte(rest), &asked); err != nil {
				s.cluster.fail(err)
			}
		}
		out.lease.Reset(asked.Delay)
	case "+ACK":
		out.lease.Stop()
		delete(d.unsettled, sequence)
		delete(s.items, out.item)
		s.messages--
		d.dispatch()
	default:
		s.cluster.fail(fmt.Errorf("the model does not implement the acknowledgement %q", how))
	}
}

func (d *durable) info() jetstream.ConsumerInfo {
	return jetstream.ConsumerInfo{
		Stream: d.stream.config.Name, Name: d.config.Durable, Config: d.config, TimeStamp: time.Now(),
		NumAckPending: len(d.unsettled), NumPending: uint64(len(d.pending)), NumWaiting: len(d.waiting),
	}
}
