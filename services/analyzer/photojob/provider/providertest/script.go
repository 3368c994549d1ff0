// Package providertest scripts the faults of the servers that stand for paid services in
// tests, and counts what such a server bills.
package providertest

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Exchange is one valid request to a server, with the answer that it would get.
type Exchange struct {
	W      http.ResponseWriter
	R      *http.Request
	Answer []byte // JSON
	bill   Bill
	script *Script
}

// Bill is a request that costs.
type Bill struct {
	Model   string
	Request []byte
}

// Bill counts the exchange as one that costs.
func (x Exchange) Bill() {
	x.script.mu.Lock()
	defer x.script.mu.Unlock()
	x.script.bills = append(x.script.bills, x.bill)
}

// Write sends a body with status 200, whatever becomes of it.
func (x Exchange) Write(body []byte) {
	x.W.Header().Set("Content-Type", "application/json")
	x.W.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = x.W.Write(body) // fails when the client is gone
}

// Reply answers one request.
type Reply func(Exchange)

// Script says how a server replies, and counts. The zero value replies to all with OK.
type Script struct {
	mu      sync.Mutex
	replies []Reply
	choose  func(call int) Reply
	calls   int
	bills   []Bill
	open    int
	busiest int
}

// Next makes the server reply to the next requests in this order, after those that were
// scripted before.
func (s *Script) Next(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Choose makes the server reply to all further requests, numbered from 0, as f says; nil
// is OK. f is called by one request at a time.
func (s *Script) Choose(f func(call int) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose = f
}

// Calls is how many valid requests there were.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Bills are the requests that cost.
func (s *Script) Bills() []Bill {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bills)
}

// Billed is how many requests cost.
func (s *Script) Billed() int { return len(s.Bills()) }

// BilledFor is how many requests of a model cost.
func (s *Script) BilledFor(model string) int {
	n := 0
	for _, bill := range s.Bills() {
		if bill.Model == model {
			n++
		}
	}
	return n
}

// Busiest is how many requests there were at once.
func (s *Script) Busiest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busiest
}

// Reply replies to a valid request, whose body was read.
func (s *Script) Reply(w http.ResponseWriter, r *http.Request, bill Bill, answer []byte) {
	s.mu.Lock()
	reply := Reply(OK)
	if s.choose != nil {
		if chosen := s.choose(s.calls); chosen != nil {
			reply = chosen
		}
	}
	if len(s.replies) > 0 {
		reply, s.replies = s.replies[0], s.replies[1:]
	}
	s.calls++
	s.open++
	s.busiest = max(s.busiest, s.open)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
	}()
	reply(Exchange{w, r, answer, bill, s})
}

// Late replies after a time, as a service that works on its answer does.
func Late(by time.Duration, reply Reply) Reply {
	return func(x Exchange) {
		select {
		case <-time.After(by):
			reply(x)
		case <-x.R.Context().Done():
		}
	}
}

// OK bills and answers.
func OK(x Exchange) {
	x.Bill()
	x.Write(x.Answer)
}

// Status answers with an error and a body.
func Status(status int, contentType, body string) Reply {
	return func(x Exchange) {
		x.W.Header().Set("Content-Type", contentType)
		x.W.WriteHeader(status)
		_, _ = x.W.Write([]byte(body)) // fails when the client is gone
	}
}

// HTML is the 503 of a gateway.
func HTML(x Exchange) {
	Status(http.StatusServiceUnavailable, "text/html", "<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>")(x)
}

// TooMany answers 429 with Retry-After, in seconds, unless it is empty, and a body.
func TooMany(retryAfter, body string) Reply {
	return func(x Exchange) {
		if retryAfter != "" {
			x.W.Header().Set("Retry-After", retryAfter)
		}
		Status(http.StatusTooManyRequests, "application/json", body)(x)
	}
}

// Silent bills, and sends nothing until the client is gone.
func Silent(x Exchange) {
	x.Bill()
	<-x.R.Context().Done()
}

// Stalled bills, sends half of the answer, and nothing more until the client is gone.
func Stalled(x Exchange) {
	x.Bill()
	x.half()
	<-x.R.Context().Done()
}

// Drip bills, and sends a byte a second until the client is gone.
func Drip(x Exchange) {
	x.Bill()
	x.W.Header().Set("Content-Length", strconv.Itoa(len(x.Answer)))
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for _, b := range x.Answer {
		_, _ = x.W.Write([]byte{b}) // fails when the client is gone
		_ = http.NewResponseController(x.W).Flush()
		select {
		case <-x.R.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// Reset bills, sends half of the answer and resets the connection.
func Reset(x Exchange) {
	x.Bill()
	x.half()
	x.reset()
}

// ResetFirst resets the connection before it answers, and does not bill.
func ResetFirst(x Exchange) { x.reset() }

// Truncated bills, and sends half of the answer as if it were all of it.
func Truncated(x Exchange) {
	x.Bill()
	x.Write(x.Answer[:len(x.Answer)/2])
}

// Huge bills, and sends 60 MB of white space before the answer.
func Huge(x Exchange) {
	x.Bill()
	space := make([]byte, 1<<20)
	for i := range space {
		space[i] = ' '
	}
	for range 60 {
		if _, err := x.W.Write(space); err != nil {
			return // the client has read enough
		}
	}
	_, _ = x.W.Write(x.Answer)
}

// Redirect sends the client to an address.
func Redirect(to string) Reply {
	return func(x Exchange) { http.Redirect(x.W, x.R, to, http.StatusMovedPermanently) }
}

// Body bills, and answers with another body.
func Body(change func(answer []byte) []byte) Reply {
	return func(x Exchange) {
		x.Bill()
		x.Write(change(x.Answer))
	}
}

func (x Exchange) half() {
	x.W.Header().Set("Content-Length", strconv.Itoa(len(x.Answer)))
	_, _ = x.W.Write(x.Answer[:len(x.Answer)/2]) // fails when the client is gone
	_ = http.NewResponseController(x.W).Flush()
}

func (x Exchange) reset() {
	conn, _, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(fmt.Sprintf("reset: %v", err)) // HTTP/1 can always be hijacked
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // the close that follows resets
	}
	_ = conn.Close()
}
