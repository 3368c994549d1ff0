package web

import (
	"container/list"
	"net"
	"sync"
	"time"
)

// idleConns contains the idle connections of a listener.
type idleConns struct {
	mu    sync.Mutex
	conns list.List // of *limitedConn; the first has been idle longest
}

// set records whether a connection is idle.
func (i *idleConns) set(c *limitedConn, idle bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case idle && c.since == nil:
		c.since = i.conns.PushBack(c)
	case !idle && c.since != nil:
		i.conns.Remove(c.since)
		c.since = nil
	}
}

// closeLongest closes the connection of a client, or of any if client is empty, that has been idle longest. It reports
// whether there was one.
func (i *idleConns) closeLongest(client string) bool {
	c := i.take(client)
	if c == nil {
		return false
	}
	_ = c.Close() // it carries nothing
	return true
}

func (i *idleConns) take(client string) *limitedConn {
	i.mu.Lock()
	defer i.mu.Unlock()
	for e := i.conns.Front(); e != nil; e = e.Next() {
		c := e.Value.(*limitedConn)
		if (client == "" || c.client == client) && !readable(c.Conn) { // a request may have arrived in the meantime
			i.conns.Remove(e)
			c.since = nil
			return c
		}
	}
	return nil
}

// TrackIdle records whether a connection waits for its next request. The server of a listener returned by LimitListener
// calls it when the state of a connection changes; for other connections it does nothing.
func TrackIdle(conn net.Conn, idle bool) {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
		conn = wrapped.NetConn()
	}
	if c, ok := conn.(*limitedConn); ok {
		c.idle.set(c, idle)
	}
}

// limitedConn releases its slot when it is closed.
type limitedConn struct {
	net.Conn
	client string
	idle   *idleConns
	since  *list.Element // its place in idle, whose lock protects it
	paced  bool
	leave  func()

	mu       sync.Mutex
	extended time.Time
}

// Write fails when the client of a paced connection reads nothing of a response for writePause. A Router limits the
// others.
func (c *limitedConn) Write(p []byte) (int, error) {
	if !c.paced {
		return c.Conn.Write(p)
	}
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

// CloseWrite lets the server end a connection without discarding a response that the client has not read.
func (c *limitedConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}

func (c *limitedConn) Close() error {
	c.idle.set(c, false)
	c.leave() // first, because a client that detects the end may reconnect immediately
	return c.Conn.Close()
}
