//go:build !race

package crashpoint

const share = 1
