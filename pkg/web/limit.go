package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"
)

// ErrFull and ErrClientFull are returned by Limiter.Enter.
var (
	ErrFull       = errors.New("web: the limit is reached")
	ErrClientFull = errors.New("web: the limit of this client is reached")
)

// Limiter limits concurrent use, in total and per client address, so that one client cannot occupy all slots. It is
// safe for concurrent use.
type Limiter struct {
	total, perClient int

	mu      sync.Mutex
	entered int
	clients map[string]int
	waiting []*waiter // waiters in order of arrival
}

type waiter struct {
	client string
	turn   chan struct{} // closed when the waiter is assigned a slot
}

// NewLimiter returns a Limiter of total slots, of which one client gets at most perClient.
func NewLimiter(total, perClient int) *Limiter {
	return &Limiter{total: total, perClient: perClient, clients: map[string]int{}}
}

// Enter takes a slot for the client at a remote address, either host:port or a host. It does not
// wait. The caller calls leave once. Enter returns ErrFull or ErrClientFull.
func (l *Limiter) Enter(remoteAddr string) (leave func(), err error) {
	return l.enter(ClientOf(remoteAddr))
}

func (l *Limiter) enter(client string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(client)
}

// Wait is like Enter, but waits for a slot until ctx is done, and then returns the cause of ctx. A free slot goes to
// the waiting client that has the fewest.
func (l *Limiter) Wait(ctx context.Context, remoteAddr string) (leave func(), err error) {
	l.mu.Lock()
	w := &waiter{ClientOf(remoteAddr), make(chan struct{})}
	if leave, err := l.take(w.client); err == nil {
		l.mu.Unlock()
		return leave, nil
	}
	l.waiting = append(l.waiting, w)
	l.mu.Unlock()
	select {
	case <-w.turn:
		return func() { l.leave(w.client) }, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else {
		l.release(w.client) // the slot that it was assigned in the meantime
	}
	return nil, context.Cause(ctx)
}

// take takes a free slot. The callers of take and release hold mu.
func (l *Limiter) take(client string) (leave func(), err error) {
	switch {
	case l.clients[client] >= l.perClient:
		return nil, ErrClientFull
	case l.entered >= l.total:
		return nil, ErrFull
	}
	l.entered++
	l.clients[client]++
	return func() { l.leave(client) }, nil
}

func (l *Limiter) leave(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release(client)
}

// release frees a slot and assigns it to the waiting client with the fewest slots, if one is below its limit.
func (l *Limiter) release(client string) {
	l.entered--
	if l.clients[client]--; l.clients[client] == 0 {
		delete(l.clients, client)
	}
	next := -1
	for i, w := range l.waiting {
		if has := l.clients[w.client]; has < l.perClient && (next < 0 || has < l.clients[l.waiting[next].client]) {
			next = i
		}
	}
	if next < 0 {
		return
	}
	w := l.waiting[next]
	l.waiting = slices.Delete(l.waiting, next, next+1)
	l.entered++
	l.clients[w.client]++
	close(w.turn)
}

// ClientOf returns the key by which limits count a client: its IPv4 address, or the /64 network of its IPv6
// address, since one host may use all of them.
func ClientOf(remoteAddr string) string {
	host, _, err := net.SplitHostPort(remoteAddr)
	if err != nil {
		host = remoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}

// Fractions of the process's file descriptors that listeners leave free, for LimitListener.
const (
	// ClientSpare is the fraction that listeners for clients leave free, for files and backend connections.
	ClientSpare = 1.0 / 8
	// EngineSpare is the fraction that listeners of embedded backends leave free. The services connect to them.
	EngineSpare = 1.0 / 16
)

const (
	// acceptPause is the pause after an accept that failed because no file descriptor was free.
	acceptPause = 50 * time.Millisecond
	// refusals limits the rejected connections that wait for their client to close.
	refusals = 64
	// refusalWait is how long a rejected connection waits.
	refusalWait = time.Second
)

// LimitListener returns a listener that limits the connections of listener with limiter, which may be nil. It also
// rejects connections while less than the fraction spare of the process's file descriptors is free. It responds to a
// rejected connection itself, with 429 or 503 and a Retry-After, and closes it.
func LimitListener(listener net.Listener, limiter *Limiter, spare float64) net.Listener {
	return &limitedListener{
		Listener: listener, limiter: limiter, refused: make(chan struct{}, refusals),
		descriptors: int(float64(MaxDescriptors()) * (1 - spare)),
	}
}

type limitedListener struct {
	net.Listener
	limiter     *Limiter
	descriptors int           // the lowest descriptor number that is rejected
	refused     chan struct{} // a slot for each connection in refuse
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			<-time.After(acceptPause) // servers other than net/http would stop
			continue
		}
		if err != nil {
			return nil, err
		}
		if descriptor(conn) >= l.descriptors {
			l.refuse(conn, "503 Service Unavailable")
			continue
		}
		if l.limiter == nil {
			return conn, nil
		}
		leave, err := l.limiter.Enter(conn.RemoteAddr().String())
		if err == nil {
			return &limitedConn{Conn: conn, leave: sync.OnceFunc(leave)}, nil
		}
		status := "503 Service Unavailable"
		if errors.Is(err, ErrClientFull) {
			status = "429 Too Many Requests"
		}
		l.refuse(conn, status)
	}
}

// refuse responds before the request is read. The few bytes fit into the socket's buffer, so it
// does not wait for the client.
func (l *limitedListener) refuse(conn net.Conn, status string) {
	_ = conn.SetDeadline(time.Now().Add(refusalWait))
	_, _ = conn.Write([]byte("HTTP/1.1 " + status + "\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		_ = conn.Close()
		return
	}
	select {
	case l.refused <- struct{}{}:
	default: // too many: this client may see a reset instead of the response
		_ = conn.Close()
		return
	}
	// A close with unread bytes causes a reset, which can overtake the response.
	go func() {
		defer func() { <-l.refused }()
		_ = tcp.CloseWrite()
		_, _ = io.Copy(io.Discard, tcp)
		_ = conn.Close() // the client may have disconnected
	}()
}

// limitedConn releases its slot when it is closed.
type limitedConn struct {
	net.Conn
	leave func()

	mu       sync.Mutex
	extended time.Time
}

// Write fails when the client reads nothing of a response for writePause.
func (c *limitedConn) Write(p []byte) (int, error) {
	if err := c.extend(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// extend moves the write deadline, at most once per second.
func (c *limitedConn) extend() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.extended) <= time.Second {
		return nil
	}
	c.extended = now
	return c.SetWriteDeadline(now.Add(writePause))
}

func (c *limitedConn) Close() error {
	c.leave() // first, because a client that detects the end may reconnect immediately
	return c.Conn.Close()
}
