package web

import (
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// ErrFull and ErrClientFull are returned by Limiter.Enter.
var (
	ErrFull       = errors.New("web: all places are taken")
	ErrClientFull = errors.New("web: all places of this client are taken")
)

// Limiter bounds how much is under way at once, in total and for each client
// address, so that one client cannot take all places. It is for use by several
// goroutines at once.
type Limiter struct {
	total, perClient int

	mu      sync.Mutex
	entered int
	clients map[string]int
}

// NewLimiter makes a Limiter of total places, of which one client gets at most
// perClient.
func NewLimiter(total, perClient int) *Limiter {
	return &Limiter{total: total, perClient: perClient, clients: map[string]int{}}
}

// Enter takes a place for the client at a remote address, host:port or host
// alone. It does not wait. The caller calls leave, once. Enter returns ErrFull
// or ErrClientFull.
func (l *Limiter) Enter(remoteAddr string) (leave func(), err error) {
	client := ClientOf(remoteAddr)
	l.mu.Lock()
	defer l.mu.Unlock()
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
	l.entered--
	if l.clients[client]--; l.clients[client] == 0 {
		delete(l.clients, client)
	}
}

// ClientOf is what limits count as one client: an IPv4 address, or the /64
// network of an IPv6 address, all of which one host may use.
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

// LimitListener returns a listener that bounds the connections of listener by
// limiter. It answers one connection too many itself, with 429 or 503 and a
// Retry-After, and closes it.
func LimitListener(listener net.Listener, limiter *Limiter) net.Listener {
	return &limitedListener{Listener: listener, limiter: limiter}
}

type limitedListener struct {
	net.Listener
	limiter *Limiter
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		leave, err := l.limiter.Enter(conn.RemoteAddr().String())
		if err == nil {
			return &limitedConn{Conn: conn, leave: sync.OnceFunc(leave)}, nil
		}
		status := "503 Service Unavailable"
		if errors.Is(err, ErrClientFull) {
			status = "429 Too Many Requests"
		}
		refuse(conn, status)
	}
}

// refuse answers without reading the request. The few bytes fit into the
// socket's buffer, so that it does not wait for the client.
func refuse(conn net.Conn, status string) {
	_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = conn.Write([]byte("HTTP/1.1 " + status + "\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
	_ = conn.Close() // the client may be gone already
}

// limitedConn gives its place back when it is closed.
type limitedConn struct {
	net.Conn
	leave func()

	mu       sync.Mutex
	extended time.Time
}

// Write fails when the client takes nothing of an answer for writePause.
func (c *limitedConn) Write(p []byte) (int, error) {
	if err := c.extend(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// extend moves the write deadline on, at most once a second.
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
	c.leave() // first, since a client that sees the end may connect again at once
	return c.Conn.Close()
}
