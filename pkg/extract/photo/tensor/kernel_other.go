//go:build !amd64 || purego

package tensor

// fastest returns the fastest kernel for this processor.
func fastest() kernel { return multiplyPortable }
