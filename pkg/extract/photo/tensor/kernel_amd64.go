//go:build !purego

package tensor

import "golang.org/x/sys/cpu"

// multiplyAVX is in kernel_amd64.s, the output of generate. It is equivalent to multiplyPortable. k is
// at least 1.
//
//go:noescape
func multiplyAVX(k int, a *float32, stride int, b, c *float32)

// fastest returns the fastest kernel for this processor.
func fastest() kernel {
	if cpu.X86.HasAVX {
		return checkedAVX
	}
	return multiplyPortable
}

// checkedAVX checks the bounds that the assembly code relies on, and calls it.
func checkedAVX(k int, a []float32, stride int, b []float32, c *tile) {
	_, _ = a[(tileRows-1)*stride+k-1], b[k*tileColumns-1]
	if k > 0 && stride >= 0 {
		multiplyAVX(k, &a[0], stride, &b[0], &c[0])
	}
}
