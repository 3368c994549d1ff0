package embedded

import (
	"os"
	"runtime"
)

// syncsAtOnce is how many goroutines that wait for the disk others need not wait for.
// Of busy engines up to twice as many do at once; but where none does, what may run
// beyond the processors takes turns by the kernel's slices of milliseconds, whatever
// waits for it, and the slowest files are those that were put aside most often.
const syncsAtOnce = 2

// RoomForSyncs lets goroutines run beside those that wait for the disk, in the whole
// process, until the returned function is called; GOMAXPROCS in the environment wins.
//
// A goroutine in a sync keeps its place among the GOMAXPROCS that may run, until the
// runtime's monitor sees that others wait for one and takes it away. As long as it does
// so it looks every 20 µs (sysmon and retake in runtime/proc.go), and each place that
// was taken away costs a change of threads, twice.
func RoomForSyncs() (undo func()) {
	if os.Getenv("GOMAXPROCS") != "" {
		return func() {}
	}
	before := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(before + syncsAtOnce)
	return func() { runtime.GOMAXPROCS(before) }
}
