//go:build !unix

package web

import (
	"math"
	"net"
)

// MaxDescriptors returns math.MaxInt32, because the limit is unknown on this system.
func MaxDescriptors() int { return math.MaxInt32 }

func descriptor(net.Conn) int { return 0 }

func readable(net.Conn) bool { return false }
