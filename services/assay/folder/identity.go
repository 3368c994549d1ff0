package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// identityFile is the name of the file with the identity of a data folder, in the folder itself and in its parts that
// are folders.
const identityFile = "identity"

// identity identifies a data folder.
type identity struct {
	ID string `json:"id"`
	// Pending means that the identity is being written to the parts: each may still be without one.
	Pending bool `json:"pending,omitempty"`
	// Any means that the parts may also have other identities, because an operator has accepted them.
	Any bool `json:"any,omitempty"`
	// Format is the format of the folder. 0 means 1. It is raised with a change after which an earlier version must not use
	// the folder.
	Format int `json:"format,omitempty"`
}

// format is the highest format of a data folder that this version reads.
const format = 1

// ErrNewer means that a newer version of Assay has changed the format of a data folder. Use that version, or restore a
// backup of this one.
var ErrNewer = errors.New("a newer version of Assay has changed its format: use that version, or restore a backup")

// readIdentity reads the identity in a folder. It is zero if there is none.
func readIdentity(dir string) (i identity, err error) {
	path := filepath.Join(dir, identityFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return i, nil
	}
	if err != nil {
		return i, err
	}
	if err := json.Unmarshal(content, &i); err != nil || i.ID == "" {
		return i, fmt.Errorf("%s is damaged: restore it from a backup", path)
	}
	if i.Format > format {
		return i, fmt.Errorf("%s: format %d, and this version reads %d: %w", dir, i.Format, format, ErrNewer)
	}
	return i, nil
}

// write durably replaces the identity in a folder.
func (i identity) write(dir string) error {
	if err := i.replace(dir); err != nil {
		return fmt.Errorf("data folder: write the identity: %w", err)
	}
	return nil
}

func (i identity) replace(dir string) error {
	content, err := json.Marshal(i)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(dir, "."+identityFile+"-*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, identityFile))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
