package system

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// The range of ports that a restarted program can reuse. It is below the ports that Linux, macOS and Windows choose for
// outgoing connections (from 32768 or 49152), which could occupy a port before the restart. Each test process starts at
// a different port and counts up.
const (
	firstPort = 20000
	ports     = 12000
)

var nextPort atomic.Int64

// KeepableAddr returns a free loopback address that a program can reuse after a restart, and that this process has not
// returned before.
func KeepableAddr(t *testing.T) string {
	t.Helper()
	var last error
	for range 100 {
		n := int64(os.Getpid())*509 + nextPort.Add(1)
		addr := fmt.Sprintf("127.0.0.1:%d", firstPort+n%ports)
		l, err := net.Listen("tcp", addr)
		if err != nil {
			last = err
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Fatal(last)
	return ""
}
