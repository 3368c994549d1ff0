package embedded

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
)

// Usage returns the bytes that files and folders take on the disk. It skips what does not exist. It reads the attributes of
// every file: a million takes several seconds.
func Usage(ctx context.Context, paths ...string) (int64, error) {
	var sum int64
	for _, path := range paths {
		err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil {
				var is fs.FileInfo
				if is, err = entry.Info(); err == nil {
					sum += allocated(is)
				}
			}
			if errors.Is(err, fs.ErrNotExist) { // removed since its folder was read
				return nil
			}
			return errors.Join(err, ctx.Err())
		})
		if err != nil {
			return 0, err
		}
	}
	return sum, nil
}
