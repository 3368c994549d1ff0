//go:build !linux

package embedded

import "os"

func (a *attributes) inline(f *os.File, bucket, object, name string) ([]byte, error) {
	return a.XattrMeta.RetrieveAttribute(f, bucket, object, name)
}

// syncFileSystem does nothing: the system writes the attributes of files by itself.
func syncFileSystem(*os.File) error { return nil }
