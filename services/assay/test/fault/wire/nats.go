package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// listenNATS starts the proxy for NATS. A call is a message that the process sends. It
// has taken effect when the first reply arrives or, if no reply is requested, when the
// server responds to a PING sent after it.
func (w *Wire) listenNATS() error {
	to, err := parse(w.engines.NATS)
	if err != nil {
		return err
	}
	addr, err := w.listen(func(client net.Conn) {
		server, err := net.DialTimeout("tcp", to.Host, dialWait)
		if err != nil || !w.keep(server) {
			return
		}
		defer w.drop(server)
		s := &session{wire: w, client: client, server: server, subjects: map[string]string{}, asked: map[string]Call{}}
		go func() {
			defer w.drop(client)
			_ = s.downstream() // either end may close at any time
		}()
		_ = s.upstream()
	})
	through := *to
	through.Host = addr
	w.through.NATS = through.String()
	return err
}

// session is one connection of the process to NATS.
type session struct {
	wire           *Wire
	client, server net.Conn

	mu       sync.Mutex
	subjects map[string]string // subjects of the subscriptions, by sid
	asked    map[string]Call   // calls that wait for a reply, by reply subject
	pings    []*Call           // for each PING without a PONG, the call that it follows; nil for a PING of the process
}

// upstream forwards what the process sends, until either end closes.
func (s *session) upstream() error {
	from := bufio.NewReader(s.client)
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return err
		}
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "PING":
			err = s.ping(line, nil)
		case "SUB":
			s.mu.Lock()
			s.subjects[words[len(words)-1]] = words[1]
			s.mu.Unlock()
			err = s.send(line)
		case "PUB", "HPUB":
			err = s.publish(from, line, words)
		default:
			err = s.send(line)
		}
		if err != nil {
			return err
		}
	}
}

// publish forwards a message: PUB <subject> [reply] <size>, or HPUB with two sizes.
func (s *session) publish(from *bufio.Reader, line []byte, words []string) error {
	payload, err := body(from, words)
	if err != nil {
		return err
	}
	sizes := 1
	if strings.EqualFold(words[0], "HPUB") {
		sizes = 2
	}
	reply := ""
	if len(words) == 3+sizes {
		reply = words[2]
	}
	call := Call{"nats", nameNATS(words[1], payload)}
	if !s.wire.passes(call, Before) {
		return errCut
	}
	if reply != "" {
		s.mu.Lock()
		s.asked[reply] = call
		s.mu.Unlock()
	}
	if err := s.send(line, payload); err != nil || reply != "" {
		return err
	}
	return s.ping([]byte("PING\r\n"), &call)
}

// downstream forwards what the server sends, until either end closes.
func (s *session) downstream() error {
	from := bufio.NewReader(s.server)
	for {
		line, err := from.ReadBytes('\n')
		if err != nil {
			return err
		}
		var payload []byte
		words := strings.Fields(string(line))
		if len(words) == 0 {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "PONG":
			s.mu.Lock()
			if len(s.pings) == 0 {
				s.mu.Unlock()
				return errors.New("PONG without a PING")
			}
			call := s.pings[0]
			s.pings = s.pings[1:]
			s.mu.Unlock()
			if call != nil {
				if !s.wire.passes(*call, After) {
					return errCut
				}
				continue
			}
		case "MSG", "HMSG":
			if payload, err = body(from, words); err != nil {
				return err
			}
			if call, answers := s.answered(words[1], words[2]); answers && !s.wire.passes(call, After) {
				return errCut
			}
		}
		if _, err := s.client.Write(append(line, payload...)); err != nil {
			return err
		}
	}
}

// answered returns the call to which a message is the first reply. A pulled message
// arrives under its own subject, on the subscription of the pull: it is a delivery.
func (s *session) answered(subject, sid string) (Call, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if call, waits := s.asked[subject]; waits {
		delete(s.asked, subject)
		return call, true
	}
	reply := s.subjects[sid]
	call, waits := s.asked[reply]
	if waits {
		delete(s.asked, reply)
		call.Name = "delivery" + strings.TrimPrefix(call.Name, "pull")
	}
	return call, waits
}

// ping sends a PING of the process (call is nil), or one that follows a call.
func (s *session) ping(line []byte, call *Call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pings = append(s.pings, call)
	_, err := s.server.Write(line)
	return err
}

func (s *session) send(parts ...[]byte) error {
	_, err := s.server.Write(bytes.Join(parts, nil))
	return err
}

// body reads the payload after a line whose last word is the payload's size.
func body(from *bufio.Reader, words []string) ([]byte, error) {
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil, err
	}
	payload := make([]byte, size+len("\r\n"))
	_, err = io.ReadFull(from, payload)
	return payload, err
}

// nameNATS returns the kind of a message, without its sequence and the ids of its item and tenant.
func nameNATS(subject string, payload []byte) string {
	parts := strings.Split(subject, ".")
	switch {
	case strings.HasPrefix(subject, "$JS.ACK."):
		// $JS.ACK.<stream>.<consumer>.…, or $JS.ACK.<domain>.<account>.<stream>.<consumer>.…
		at := 2
		if len(parts) > 9 {
			at = 4
		}
		word, _, _ := strings.Cut(strings.TrimSpace(string(payload)), " ")
		return word + " " + parts[at+1]
	case strings.HasPrefix(subject, "$JS.API.CONSUMER.MSG.NEXT."):
		return "pull " + parts[len(parts)-1]
	case strings.HasPrefix(subject, "$JS.API."):
		return "api " + strings.Join(parts[2:min(len(parts), 6)], ".")
	}
	if parts[0] == "assay-work" && len(parts) > 5 { // assay-work.<priority>.<tenant>.<event>
		parts = slices.Delete(parts, 1, 3)
	}
	if parts[0] == "assay-attempt" && len(parts) > 2 { // assay-attempt.<consumer>.<sequence>.<item>
		parts = parts[:2]
	}
	return "publish " + strings.Join(parts[:min(len(parts), 3)], ".")
}
