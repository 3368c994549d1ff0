//go:build !linux

package embedded

import "os"

// syncFileSystem does nothing: on this system, syncing a whole file system is not supported.
func syncFileSystem(*os.File) error { return nil }
