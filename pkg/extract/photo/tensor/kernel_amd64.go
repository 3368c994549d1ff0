//go:build !purego

package tensor

import "golang.org/x/sys/cpu"

// multiplyAVX is in kernel_amd64.s, the output of generate. It is equivalent to multiplyPortable. k is
// at least 1.
//
//go:noescape
func multiplyAVX(k int, a *float32, stride int, b, c *float32)

// accumulateAVX is in kernel_amd64.s. It is equivalent to accumulatePortable for 8 × n numbers. n is at least 1.
//
//go:noescape
func accumulateAVX(n int, sums, a, b *float32)

// positiveAVX is in kernel_amd64.s. It is equivalent to positivePortable for 8 × n numbers. n is at least 1.
//
//go:noescape
func positiveAVX(n int, values *float32)

// fastest returns the fastest kernels for this processor.
func fastest() kernels {
	if cpu.X86.HasAVX {
		return kernels{checkedAVX, accumulate, positive}
	}
	return portable
}

// accumulate leaves the numbers after the last group of 8 to accumulatePortable.
func accumulate(sums, a, b []float32) {
	a, b = a[:len(sums)], b[:len(sums)]
	n := len(sums) / 8
	if n > 0 {
		accumulateAVX(n, &sums[0], &a[0], &b[0])
	}
	accumulatePortable(sums[8*n:], a[8*n:], b[8*n:])
}

// checkedAVX checks the bounds that the assembly code relies on, and calls it.
func checkedAVX(k int, a []float32, stride int, b []float32, c *tile) {
	_, _ = a[(tileRows-1)*stride+k-1], b[k*tileColumns-1]
	if k > 0 && stride >= 0 {
		multiplyAVX(k, &a[0], stride, &b[0], &c[0])
	}
}

// positive leaves the numbers after the last group of 8 to positivePortable.
func positive(values []float32) {
	n := len(values) / 8
	if n > 0 {
		positiveAVX(n, &values[0])
	}
	positivePortable(values[8*n:])
}
