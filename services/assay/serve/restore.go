package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-project/assay/services/assay/backup"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/folder"
)

// ErrUsed means that a data folder is not empty, so that no backup can be restored to it.
var ErrUsed = errors.New("the data folder is not empty; choose another with --data")

// Restore restores a backup to the data folder, which must be empty or absent; an empty id means the newest backup. The
// folder has the identity of the folder that the backup was made of. It returns when the files are on disk.
func Restore(ctx context.Context, from, id, data string, out io.Writer) error {
	repository, err := backup.Open(ctx, from)
	if err != nil {
		return err
	}
	chosen, err := repository.Find(ctx, id)
	if err != nil {
		return err
	}
	dir, err := endpoints.Dir(data)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("data folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%w: %s", ErrUsed, dir)
	}
	dir, release, err := claim(dir)
	if err != nil {
		return err
	}
	defer release()
	files, bytes := 0, int64(0)
	err = repository.Restore(ctx, chosen, dir, func(entry backup.Entry) {
		files++
		bytes += entry.Size
	})
	if err != nil {
		return err
	}
	label, err := embedded.DynamoDBLabel(filepath.Join(dir, folder.Database))
	if err == nil && label != chosen.Folder {
		err = fmt.Errorf("%w: the database is of folder %s, not of %s", backup.ErrDamaged, label, chosen.Folder)
	}
	if err == nil {
		err = embedded.SyncFolder(dir)
	}
	if err == nil {
		err = folder.Restored(dir, chosen.Folder) // last, so that an interrupted restore is not served
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "restored backup %s of %s to %s: %d files, %d bytes\n", chosen.ID, chosen.Mark.Local().Format("2006-01-02 15:04:05"), dir, files, bytes)
	return err
}

// VerifyBackups reads all backups of a repository and writes its findings to out, one per line. It returns backup.ErrDamaged
// if there are any.
func VerifyBackups(ctx context.Context, from string, out io.Writer) error {
	repository, err := backup.Open(ctx, from)
	if err != nil {
		return err
	}
	v := verification{out: out}
	backups, chunks, err := repository.Check(ctx, v.found)
	if err != nil {
		return err
	}
	v.print("repository: %d backups, %d chunks read", backups, chunks)
	if v.err != nil {
		return v.err
	}
	if v.problems > 0 {
		return fmt.Errorf("problems found: %d; %w", v.problems, backup.ErrDamaged)
	}
	return nil
}
