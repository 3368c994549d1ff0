//go:build !race

package documents

// raceFactor multiplies the memory of a program with the race detector.
const raceFactor = 1
