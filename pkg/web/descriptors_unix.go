//go:build unix

package web

import (
	"math"
	"net"
	"syscall"
)

// MaxDescriptors returns the number of file descriptors that the process can have open. Go raises
// the soft limit to the hard limit at start.
func MaxDescriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) //nolint:unconvert // it is signed on FreeBSD
}

// descriptor returns the number of the connection's file descriptor. The system assigns the lowest
// free number, so at least that many are open.
func descriptor(conn net.Conn) int {
	number := 0
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) { number = int(fd) }) // fails only when it is closed
		}
	}
	return number
}

// readable reports whether the client has sent bytes that are unread.
func readable(conn net.Conn) bool {
	arrived := false
	if c, ok := conn.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
				arrived = err == nil && n > 0
			})
		}
	}
	return arrived
}
