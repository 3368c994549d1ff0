//go:build !amd64 || purego

package simd

// Kernels returns the kernels that this processor supports, the fastest first.
func Kernels() []Kernel { return []Kernel{Portable()} }
