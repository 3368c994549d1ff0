//go:build !linux

package embedded

import "os"

// syncFileSystem does nothing: the system writes file attributes by itself.
func syncFileSystem(*os.File) error { return nil }
