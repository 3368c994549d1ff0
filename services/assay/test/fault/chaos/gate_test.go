package chaos

import (
	"net"
	"strings"
	"sync"
	"time"
)

// gate forwards TCP connections of a service to an engine until it is paused or killed.
// While all its gates are paused, a service appears suspended.
type gate struct {
	url      string
	listener net.Listener
	target   string

	mu    sync.Mutex
	open  chan struct{} // closed while data passes
	conns map[net.Conn]struct{}
	cut   bool
}

func newGate(engine string) (*gate, error) {
	scheme, target, _ := strings.Cut(engine, "://")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{url: scheme + "://" + listener.Addr().String(), listener: listener, target: target, open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(g.open)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go g.pass(conn)
		}
	}()
	return g, nil
}

func (g *gate) pass(client net.Conn) {
	server, err := net.DialTimeout("tcp", g.target, 5*time.Second)
	if err != nil {
		_ = client.Close() // the engine is down
		return
	}
	g.mu.Lock()
	cut := g.cut
	g.conns[client], g.conns[server] = struct{}{}, struct{}{}
	g.mu.Unlock()
	end := func() {
		_, _ = client.Close(), server.Close() // either may be closed already
		g.mu.Lock()
		delete(g.conns, client)
		delete(g.conns, server)
		g.mu.Unlock()
	}
	if cut {
		end()
		return
	}
	go func() { defer end(); g.copy(server, client) }()
	defer end()
	g.copy(client, server)
}

func (g *gate) copy(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		<-open
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pause delays all data until resume is called.
func (g *gate) pause() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		g.open = make(chan struct{})
	default: // paused already
	}
}

func (g *gate) resume() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// kill closes all connections and forwards nothing more.
func (g *gate) kill() {
	g.mu.Lock()
	g.cut = true
	for conn := range g.conns {
		_ = conn.Close() // may be closed already
	}
	g.mu.Unlock()
	_ = g.listener.Close() // may be closed already
	g.resume()
}
