//go:build !linux && !darwin

package embedded

import "math"

// freeSpace is not implemented for this system.
func freeSpace(string) (uint64, error) { return math.MaxUint64, nil }
