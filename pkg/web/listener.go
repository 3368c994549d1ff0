package web

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

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

// LimitListener returns a listener that limits the connections of listener with limiter, which may be nil, and keeps the
// fraction spare of the process's file descriptors free. At a limit, it closes the connection that has been idle longest:
// clients keep idle connections, and open a new one if the server closes them. If none is idle, it responds to the new
// connection itself, with 429 or 503 and a Retry-After, and closes it. The server calls TrackIdle.
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
	idle        idleConns
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			if !l.idle.closeLongest("") {
				<-time.After(acceptPause) // servers other than net/http would stop
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		client := ClientOf(conn.RemoteAddr().String())
		leave, err := l.admit(conn, client)
		if err == nil {
			return &limitedConn{Conn: conn, client: client, idle: &l.idle, paced: l.limiter != nil, leave: sync.OnceFunc(leave)}, nil
		}
		status := "503 Service Unavailable"
		if errors.Is(err, ErrClientFull) {
			status = "429 Too Many Requests"
		}
		l.refuse(conn, status)
	}
}

// admit takes a slot for a connection. It closes idle connections as necessary.
func (l *limitedListener) admit(conn net.Conn, client string) (leave func(), err error) {
	if descriptor(conn) >= l.descriptors && !l.idle.closeLongest("") {
		return nil, ErrFull
	}
	if l.limiter == nil {
		return func() {}, nil
	}
	for {
		leave, err := l.limiter.enter(holder{client: client})
		of := "" // any client
		if errors.Is(err, ErrClientFull) {
			of = client
		}
		if err == nil || !l.idle.closeLongest(of) {
			return leave, err
		}
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
