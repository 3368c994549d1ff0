package system

import (
	"maps"
	"testing"
)

// Promises are promises by name that a running system keeps, regardless of how many
// programs it has. They run in parallel and leave it running.
type Promises map[string]func(*testing.T, System)

// Prove proves promises, each as a parallel subtest of t.
func (p Promises) Prove(t *testing.T, s System) {
	for name, promise := range p {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			promise(t, s)
		})
	}
}

// Scenarios are promises by name that need services of their own, which they stop and
// start. They are given how to start the engines.
type Scenarios map[string]func(*testing.T, Starter)

// Starter is StartCluster, or a function like it that limits the permissions of the
// programs.
type Starter func(t *testing.T, env ...string) *Cluster

// Join returns all promises of several maps, whose names differ.
func Join[M ~map[string]F, F any](all ...M) M {
	joined := M{}
	for _, each := range all {
		maps.Copy(joined, each)
	}
	return joined
}
