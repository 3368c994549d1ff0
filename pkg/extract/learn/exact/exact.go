// Package exact computes with floating-point numbers so that all architectures return the same bits.
//
// The functions of package math are written in assembly for some architectures, compilers fuse products with sums where the
// processor has an instruction for that, and vectorized kernels such as those of gonum add in another order. The functions
// here add in one order, and convert products explicitly, which prevents fusing.
package exact

import "math"

// Bits of ln 2: the first 33, so that small multiples are exact, and the following ones.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// Exp returns e^x for x from -700 to 700, and the result for the nearest of them otherwise, so that it is neither 0 nor
// infinite. Its relative error is below 1e-15.
func Exp(x float64) float64 {
	x = min(max(x, -700), 700)
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	// The series of e^r: the terms after r^14/14! are below 1e-17, since |r| ≤ ln 2 / 2.
	sum := 1.0
	for i := 14.0; i >= 1; i-- {
		sum = 1 + float64(r*sum)/i
	}
	return math.Ldexp(sum, int(k))
}

// Log returns the natural logarithm of a positive, finite x. Its relative error is below 1e-15, or its absolute error
// below 1e-16.
func Log(x float64) float64 {
	f, k := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, k = f*2, k-1
	}
	// ln f = 2 artanh s; the terms after s^21/21 are below 1e-17, since |s| ≤ 0.172.
	s := (f - 1) / (f + 1)
	square, sum := float64(s*s), 0.0
	for i := 21.0; i >= 3; i -= 2 {
		sum = float64(square * (1/i + sum))
	}
	return float64(float64(k)*ln2High) + (float64(2*s) + (float64(2*float64(s*sum)) + float64(float64(k)*ln2Low)))
}

// Probability returns the probability of log odds.
func Probability(logOdds float64) float64 { return 1 / (1 + Exp(-logOdds)) }

// Dot returns the sum of the products of two vectors of the same length.
func Dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		a, b := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// DotFrom returns the sum of the products (a - origin)·b of vectors of the same length.
func DotFrom(origin, a, b []float64) float64 {
	origin, b = origin[:len(a)], b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		a, b, o := a[i:i+4:i+4], b[i:i+4:i+4], origin[i:i+4:i+4]
		s0 += float64((a[0] - o[0]) * b[0])
		s1 += float64((a[1] - o[1]) * b[1])
		s2 += float64((a[2] - o[2]) * b[2])
		s3 += float64((a[3] - o[3]) * b[3])
	}
	for ; i < len(a); i++ {
		s0 += float64((a[i] - origin[i]) * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
