// Package peak measures peak memory in tests.
package peak

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Of returns the peak number of bytes that f adds to the heap, sampled every millisecond with
// frequent garbage collection. No other code may run concurrently.
func Of(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() int64 { metrics.Read(sample); return int64(sample[0].Value.Uint64()) }
	before, most := read(), int64(0)
	done := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				most = max(most, read())
			}
		}
	})
	f()
	close(done)
	sampler.Wait()
	return most - before
}
