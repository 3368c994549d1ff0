//go:build !linux

package embedded

import "os"

func (a *attributes) inline(f *os.File, bucket, object, name string) ([]byte, error) {
	return a.XattrMeta.RetrieveAttribute(f, bucket, object, name)
}
