package serve

import "github.com/assay-project/assay/pkg/process"

// Runtime returns the runtime settings of a process that runs the engines.
func Runtime() process.Runtime {
	return process.Runtime{
		// With the default setting, the garbage collector would run once per 130 small files,
		// because three services and the engines allocate memory for each file. Files processed
		// during a collection are the slowest.
		Heap: 160 << 20,
		// Large files keep a lot of memory live. With this setting, the peak is 25 MB lower at 50 MB of live
		// memory, which 100,000 records need, and small files cause 10% more collections.
		Growth: 50,
		// Under load, up to four goroutines of the engines are in sync calls. When all processors
		// are busy, the additional threads wait for kernel time slices of several milliseconds,
		// which delays the slowest files.
		Syncs: 2,
	}
}
