//go:build !linux && !darwin

package embedded

import "math"

// freeSpace is not known here.
func freeSpace(string) (uint64, error) { return math.MaxUint64, nil }
