//go:build !amd64 || purego

package simd

// Kernels returns those that this processor supports, the fastest first.
func Kernels() []Kernel { return []Kernel{Portable()} }
