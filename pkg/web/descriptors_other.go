//go:build !unix

package web

import (
	"math"
	"net"
)

// MaxDescriptors is not known here.
func MaxDescriptors() int { return math.MaxInt32 }

func descriptor(net.Conn) int { return 0 }
