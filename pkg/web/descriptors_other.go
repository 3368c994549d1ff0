//go:build !unix

package web

import (
	"math"
	"net"
)

// MaxDescriptors returns the maximum: the limit is unknown on this system.
func MaxDescriptors() int { return math.MaxInt32 }

func descriptor(net.Conn) int { return 0 }
