//go:build !amd64 || purego

package wordstats

// fastestKernel is the fastest kernel that this processor runs.
func fastestKernel() kernel { return kernel{"portable", classify} }
