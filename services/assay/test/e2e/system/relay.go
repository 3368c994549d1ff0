package system

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Relay forwards TCP connections to an engine. It can refuse connections, or accept them and forward nothing.
type Relay struct {
	URL string

	t            *testing.T
	addr, engine string

	mu       sync.Mutex
	changed  *sync.Cond
	silent   bool
	listener net.Listener // nil while the relay refuses
	conns    map[net.Conn]bool
	running  sync.WaitGroup
}

// NewRelay starts a relay to the engine at a URL. It ends with the test.
func NewRelay(t *testing.T, engine string) *Relay {
	t.Helper()
	to, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{t: t, addr: KeepableAddr(t), engine: to.Host, conns: map[net.Conn]bool{}}
	r.changed = sync.NewCond(&r.mu)
	to.Host = r.addr
	r.URL = to.String()
	r.Restore()
	t.Cleanup(func() {
		r.Refuse()
		r.running.Wait()
	})
	return r
}

// Refuse closes all connections and refuses new ones.
func (r *Relay) Refuse() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener != nil {
		_ = r.listener.Close()
		r.listener = nil
	}
	for conn := range r.conns {
		_ = conn.Close()
	}
	r.silent = false
	r.changed.Broadcast()
}

// Silence accepts connections and data, but forwards nothing until Restore, as a process that is stopped.
func (r *Relay) Silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = true
}

// Restore accepts connections and forwards data, including the data that was received during Silence.
func (r *Relay) Restore() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = false
	r.changed.Broadcast()
	if r.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", r.addr)
	if err != nil {
		r.t.Error(err)
		return
	}
	r.listener = listener
	r.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed by Refuse
			}
			r.running.Go(func() { r.serve(conn) })
		}
	})
}

func (r *Relay) serve(client net.Conn) {
	defer client.Close()
	if !r.keep(client) {
		return
	}
	defer r.drop(client)
	r.pass() // before the engine can greet the client
	engine, err := net.Dial("tcp", r.engine)
	if err != nil {
		return
	}
	defer engine.Close()
	if !r.keep(engine) {
		return
	}
	defer r.drop(engine)
	var both sync.WaitGroup
	both.Go(func() { r.copy(engine, client) })
	both.Go(func() { r.copy(client, engine) })
	both.Wait()
}

// copy forwards data until either end closes.
func (r *Relay) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		r.pass()
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return // io.EOF, or a closed connection
		}
	}
}

// pass waits while the relay is silent.
func (r *Relay) pass() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.silent {
		r.changed.Wait()
	}
}

// keep registers a connection that Refuse closes. It returns false while the relay refuses.
func (r *Relay) keep(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listener == nil {
		return false
	}
	r.conns[conn] = true
	return true
}

func (r *Relay) drop(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, conn)
}
