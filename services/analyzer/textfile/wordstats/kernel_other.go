//go:build !amd64 || purego

package wordstats

// kernels are those that this processor runs, the fastest first.
func kernels() []kernel { return []kernel{portable()} }
