//go:build !amd64 || purego

package tensor

// fastest returns the fastest kernels for this processor.
func fastest() kernels { return portable }
