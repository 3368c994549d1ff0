//go:build race

package crashpoint

// share is how many times less deaths there are: the race detector slows each down
// as much, and looks for something else.
const share = 10
