package serve

import "github.com/assay-project/assay/pkg/process"

// Runtime returns the runtime settings of a process that runs the engines.
func Runtime() process.Runtime {
	return process.Runtime{
		// At the default the collector would run for every 130th small file: three services and the
		// engines allocate for each, and the files processed during a collection are the slowest.
		Heap: 192 << 20,
		// Busy engines have up to four goroutines in a sync at once. When all processors are busy,
		// the additional threads take turns by the kernel's time slices of milliseconds, which
		// delays the slowest files.
		Syncs: 2,
	}
}
