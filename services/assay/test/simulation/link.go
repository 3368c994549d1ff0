package simulation

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// link is the connection of one client to the modelled server, in the NATS client protocol. The server executes what the
// client writes during Write, so that a client never waits for the link itself.
type link struct {
	to *cluster

	mu     sync.Mutex
	filled *sync.Cond        // out is not empty, or closed is true
	out    []byte            // to the client
	in     []byte            // from the client, incomplete
	subs   map[string]string // ids of subscriptions by subject
	closed bool
}

const info = `INFO {"server_id":"model","version":"2.15.2","proto":1,"headers":true,"max_payload":1048576,"jetstream":true}` + "\r\n"

func newLink(to *cluster) *link {
	l := &link{to: to, out: []byte(info), subs: map[string]string{}}
	l.filled = sync.NewCond(&l.mu)
	return l
}

// Read returns bytes from the server. It waits for the first one.
func (l *link) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.out) == 0 {
		if l.closed {
			return 0, io.EOF
		}
		l.filled.Wait()
	}
	n := copy(p, l.out)
	if l.out = l.out[n:]; len(l.out) == 0 {
		l.out = nil
	}
	return n, nil
}

// Write executes the commands of the client.
func (l *link) Write(p []byte) (int, error) {
	l.in = append(l.in, p...) // the client writes from one goroutine at a time
	for {
		n, err := l.command(l.in)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			break
		}
		l.in = l.in[n:]
	}
	if len(l.in) == 0 {
		l.in = nil
	}
	return len(p), nil
}

// command executes the first command and returns its length, or 0 if it is incomplete.
func (l *link) command(in []byte) (int, error) {
	end := bytes.Index(in, []byte("\r\n"))
	if end < 0 {
		return 0, nil
	}
	line, size := string(in[:end]), end+2
	words := strings.Fields(line)
	if len(words) == 0 {
		return size, nil
	}
	switch words[0] {
	case "CONNECT", "PONG":
		return size, nil
	case "PING":
		l.send([]byte("PONG\r\n"))
		return size, nil
	case "SUB":
		l.mu.Lock()
		defer l.mu.Unlock()
		l.subs[words[1]] = words[len(words)-1]
		return size, nil
	case "UNSUB":
		l.unsubscribe(words[1])
		return size, nil
	case "PUB", "HPUB":
		total, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return 0, fmt.Errorf("command %q: %w", line, err)
		}
		if len(in) < size+total+2 {
			return 0, nil
		}
		body := bytes.Clone(in[size : size+total])
		m := message{subject: words[1], data: body}
		lengths := 1
		if words[0] == "HPUB" {
			headers, err := strconv.Atoi(words[len(words)-2])
			if err != nil {
				return 0, fmt.Errorf("command %q: %w", line, err)
			}
			m.header, m.data, lengths = body[:headers], body[headers:], 2
		}
		reply := ""
		if len(words) > 2+lengths {
			reply = words[2]
		}
		l.to.receive(l, m, reply)
		return size + total + 2, nil
	}
	return 0, fmt.Errorf("the model does not implement the command %q", line)
}

func (l *link) unsubscribe(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for subject, of := range l.subs {
		if of == id {
			delete(l.subs, subject)
		}
	}
}

func (l *link) send(data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.out = append(l.out, data...)
	l.filled.Signal()
}

// deliver sends a message to the subscription of the client to a subject. It reports whether there is one.
func (l *link) deliver(to string, m message, reply string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, ok := l.subs[to]
	if !ok { // of all replies to the client
		id, ok = l.subs[to[:strings.LastIndexByte(to, '.')+1]+"*"]
	}
	if !ok || l.closed {
		return false
	}
	if reply != "" {
		reply += " "
	}
	subject := m.subject
	if subject == "" {
		subject = to
	}
	if len(m.header) == 0 {
		l.out = fmt.Appendf(l.out, "MSG %s %s %s%d\r\n", subject, id, reply, len(m.data))
	} else {
		l.out = fmt.Appendf(l.out, "HMSG %s %s %s%d %d\r\n", subject, id, reply, len(m.header), len(m.header)+len(m.data))
		l.out = append(l.out, m.header...)
	}
	l.out = append(append(l.out, m.data...), "\r\n"...)
	l.filled.Signal()
	return true
}

// Close ends the connection.
func (l *link) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.filled.Broadcast()
	return nil
}

// LocalAddr returns a name.
func (l *link) LocalAddr() net.Addr { return address{} }

// RemoteAddr returns a name.
func (l *link) RemoteAddr() net.Addr { return address{} }

// SetDeadline does nothing: no call of a link waits except Read, which Close ends.
func (l *link) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (l *link) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (l *link) SetWriteDeadline(time.Time) error { return nil }

type address struct{}

// Network returns "model".
func (address) Network() string { return "model" }

// String returns "model".
func (address) String() string { return "model" }
