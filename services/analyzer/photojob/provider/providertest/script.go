// Package providertest simulates the faults of paid services in tests, and counts what a simulated
// service bills.
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

// Exchange is one valid request to a server with its successful response.
type Exchange struct {
	W      http.ResponseWriter
	R      *http.Request
	Answer []byte // JSON
	bill   Bill
	script *Script
}

// Bill is a billed request.
type Bill struct {
	Model   string
	Request []byte
}

// Bill counts the exchange as billed.
func (x Exchange) Bill() {
	x.script.mu.Lock()
	defer x.script.mu.Unlock()
	x.script.bills = append(x.script.bills, x.bill)
}

// Write sends a body with status 200 and ignores errors.
func (x Exchange) Write(body []byte) {
	x.W.Header().Set("Content-Type", "application/json")
	x.W.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = x.W.Write(body) // fails if the client has disconnected
}

// Reply responds to one request.
type Reply func(Exchange)

// Script defines how a server responds, and counts requests. The zero value responds to all
// requests with OK.
type Script struct {
	mu      sync.Mutex
	replies []Reply
	choose  func(call int) Reply
	calls   int
	bills   []Bill
	open    int
	busiest int
}

// Next queues the replies to the next requests.
func (s *Script) Next(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Choose makes the server respond to all further requests, numbered from 0, with the result of f;
// nil means OK. Calls of f are serialized.
func (s *Script) Choose(f func(call int) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose = f
}

// Calls returns the number of valid requests.
func (s *Script) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Bills returns the billed requests.
func (s *Script) Bills() []Bill {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.bills)
}

// Billed returns the number of billed requests.
func (s *Script) Billed() int { return len(s.Bills()) }

// BilledFor returns the number of billed requests for a model.
func (s *Script) BilledFor(model string) int {
	n := 0
	for _, bill := range s.Bills() {
		if bill.Model == model {
			n++
		}
	}
	return n
}

// Busiest returns the maximum number of concurrent requests.
func (s *Script) Busiest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busiest
}

// Reply responds to a valid request whose body was read.
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

// Late responds after a delay, like a slow service.
func Late(by time.Duration, reply Reply) Reply {
	return func(x Exchange) {
		select {
		case <-time.After(by):
			reply(x)
		case <-x.R.Context().Done():
		}
	}
}

// OK bills the request and sends the successful response.
func OK(x Exchange) {
	x.Bill()
	x.Write(x.Answer)
}

// Status sends an error status and a body.
func Status(status int, contentType, body string) Reply {
	return func(x Exchange) {
		x.W.Header().Set("Content-Type", contentType)
		x.W.WriteHeader(status)
		_, _ = x.W.Write([]byte(body)) // fails if the client has disconnected
	}
}

// HTML sends the 503 page of a gateway.
func HTML(x Exchange) {
	Status(http.StatusServiceUnavailable, "text/html", "<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>")(x)
}

// TooMany sends status 429 and a body. It sets Retry-After, in seconds, unless retryAfter is empty.
func TooMany(retryAfter, body string) Reply {
	return func(x Exchange) {
		if retryAfter != "" {
			x.W.Header().Set("Retry-After", retryAfter)
		}
		Status(http.StatusTooManyRequests, "application/json", body)(x)
	}
}

// Silent bills the request, and sends nothing until the client has disconnected.
func Silent(x Exchange) {
	x.Bill()
	<-x.R.Context().Done()
}

// Stalled bills the request, sends half of the response, and nothing more until the client has
// disconnected.
func Stalled(x Exchange) {
	x.Bill()
	x.half()
	<-x.R.Context().Done()
}

// Drip bills the request, and sends a byte per second until the client has disconnected.
func Drip(x Exchange) {
	x.Bill()
	x.W.Header().Set("Content-Length", strconv.Itoa(len(x.Answer)))
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for _, b := range x.Answer {
		_, _ = x.W.Write([]byte{b}) // fails if the client has disconnected
		_ = http.NewResponseController(x.W).Flush()
		select {
		case <-x.R.Context().Done():
			return
		case <-tick.C:
		}
	}
}

// Reset bills the request, sends half of the response and resets the connection.
func Reset(x Exchange) {
	x.Bill()
	x.half()
	x.reset()
}

// ResetFirst resets the connection before the response, and does not bill.
func ResetFirst(x Exchange) { x.reset() }

// Truncated bills the request, and sends half of the response as if it were complete.
func Truncated(x Exchange) {
	x.Bill()
	x.Write(x.Answer[:len(x.Answer)/2])
}

// Huge bills the request, and sends 60 MB of white space before the response.
func Huge(x Exchange) {
	x.Bill()
	space := make([]byte, 1<<20)
	for i := range space {
		space[i] = ' '
	}
	for range 60 {
		if _, err := x.W.Write(space); err != nil {
			return // the client has read up to its limit
		}
	}
	_, _ = x.W.Write(x.Answer)
}

// Redirect redirects the client to an address.
func Redirect(to string) Reply {
	return func(x Exchange) { http.Redirect(x.W, x.R, to, http.StatusMovedPermanently) }
}

// Body bills the request, and responds with another body.
func Body(change func(answer []byte) []byte) Reply {
	return func(x Exchange) {
		x.Bill()
		x.Write(change(x.Answer))
	}
}

func (x Exchange) half() {
	x.W.Header().Set("Content-Length", strconv.Itoa(len(x.Answer)))
	_, _ = x.W.Write(x.Answer[:len(x.Answer)/2]) // fails if the client has disconnected
	_ = http.NewResponseController(x.W).Flush()
}

func (x Exchange) reset() {
	conn, _, err := http.NewResponseController(x.W).Hijack()
	if err != nil {
		panic(fmt.Sprintf("reset: %v", err)) // HTTP/1 connections can always be hijacked
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // makes Close reset the connection
	}
	_ = conn.Close()
}
