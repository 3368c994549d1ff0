package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// keepableAddr is a free loopback address that a program can come back to after
// a restart. Its port lies below those that Linux, macOS and Windows give to
// outgoing connections (from 32768 or 49152), which could take it meanwhile.
func keepableAddr(t *testing.T) string {
	t.Helper()
	var last error
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(10000))
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
