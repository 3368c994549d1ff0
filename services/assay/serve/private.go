package serve

import (
	"fmt"
	"os"
	"path/filepath"
)

// keepPrivate removes the permissions of other users on the data directory and its direct entries,
// so that they cannot reach the files below.
func keepPrivate(dir string) error {
	if is, err := os.Stat(dir); err == nil && is.Mode()&os.ModeSticky != 0 {
		return fmt.Errorf("data folder %s is shared between users: choose another with --data, such as %s", dir, filepath.Join(dir, "assay"))
	}
	paths := []string{dir}
	for _, pattern := range []string{"nats", "s3", "dynamodb.db*", "search.db*", "credentials", "endpoints.json", "operator.json", "identity", "backups.json", "lock"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		is, err := os.Stat(path)
		if err == nil && is.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path, is.Mode().Perm()&0o700)
		}
		if err != nil {
			return fmt.Errorf("data folder: other users can access %s and its mode cannot be changed; choose a private folder with --data: %w", path, err)
		}
	}
	return nil
}
