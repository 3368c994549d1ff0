package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"golang.org/x/sys/unix"
)

// inline returns the value of an extended attribute as XattrMeta does, which makes 1 KiB
// of garbage for each; the gateway asks for ten at a GET, of which eight are seldom there.
func (a *attributes) inline(f *os.File, bucket, object, name string) (value []byte, err error) {
	var buffer [inlineAttribute]byte
	name, n := "user."+name, 0 // the prefix is XattrMeta's
	if f != nil {
		n, err = unix.Fgetxattr(int(f.Fd()), name, buffer[:])
	} else {
		n, err = unix.Getxattr(filepath.Join(bucket, object), name, buffer[:])
	}
	switch {
	case err == nil:
		return bytes.Clone(buffer[:n]), nil
	case errors.Is(err, unix.ENODATA):
		return nil, meta.ErrNoSuchKey
	case errors.Is(err, unix.ENOENT): // there is no such object yet, as at most PUTs
		return nil, &os.PathError{Op: "getxattr", Path: filepath.Join(bucket, object), Err: err}
	default: // a value that is larger, an interrupted call, and what the gateway wants to know of other errors
		return a.XattrMeta.RetrieveAttribute(f, bucket, object, name[len("user."):])
	}
}

// syncFileSystem syncs all that is written to the file system of the folder.
func syncFileSystem(folder *os.File) error { return unix.Syncfs(int(folder.Fd())) }
