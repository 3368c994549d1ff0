//go:build !amd64 || purego

package tensor

// fastest returns the fastest kernel that this processor supports.
func fastest() kernel { return multiplyPortable }
