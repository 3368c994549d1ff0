// Package folder checks that the parts of a data folder belong together. Each part that holds state carries the
// identity of its folder: the database as its label, and the folders of the objects and of the streams in a file. A
// part that is absent, empty, or of another folder is therefore never served as if its data had been deleted.
//
// A folder without identities is new, or was written by a version that recorded none. It gets an identity if all of
// its parts hold data, or none does. The search index and the compiled engines have no identity, because they are
// derived from the other parts and built again if they are absent.
package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"
)

// Names of the parts in a data folder.
const (
	Database = "dynamodb.db"
	Objects  = "s3"
	Streams  = "nats"
)

// Folder is an examined data folder.
type Folder struct {
	dir         string
	acceptEmpty bool
	log         zerolog.Logger
	note        identity // of the folder itself
	// objects, streams and database are the parts that hold state.
	objects, streams, database part
}

// Label is the part of the database's engine that stores an identity.
type Label interface {
	Label() (string, error)
	SetLabel(label string) error
}

// Examine reads the identities of the parts of a data folder, except that of the database, which Check and Join need.
// It changes nothing.
func Examine(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	var failed [4]error
	f.note, failed[0] = readIdentity(dir)
	f.objects, failed[1] = examineFolder(dir, Objects, "objects")
	f.streams, failed[2] = examineFolder(dir, Streams, "")
	f.database, failed[3] = examineDatabase(dir)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	return f, nil
}

// Open examines a data folder that is to be served. It returns a *MismatchError if its parts cannot belong together,
// whatever the identity of the database is. It is called before the database is opened, which would create it.
//
// With acceptEmpty, a mismatch is logged and the folder gets a new identity.
func Open(dir string, acceptEmpty bool, log zerolog.Logger) (*Folder, error) {
	f, err := Examine(dir)
	if err != nil {
		return nil, err
	}
	f.acceptEmpty, f.log = acceptEmpty, log
	assumed := *f
	if f.database.used() {
		assumed.database.id = f.objects.id
	}
	if err := f.settle(assumed.mismatch()); err != nil {
		return nil, err
	}
	if f.note.ID == "" && !f.database.used() {
		f.note = identity{ID: newID(), Pending: true} // a crash after this leaves a folder without some parts
		return f, f.note.write(dir)
	}
	return f, nil
}

// Check returns a *MismatchError if the parts do not belong together. label is the label of the database, or "" if
// there is none.
func (f *Folder) Check(label string) error {
	f.database.id = label
	return f.mismatch()
}

// HasDatabase reports whether the database exists and is not empty.
func (f *Folder) HasDatabase() bool { return f.database.used() }

// Join checks the parts and writes the identity to those without one. It returns a *MismatchError if they do not
// belong together. It must be called before any of them is used.
func (f *Folder) Join(database Label) error {
	label, err := database.Label()
	if err != nil {
		return err
	}
	if err := f.settle(f.Check(label)); err != nil {
		return err
	}
	own := identity{ID: label}
	switch {
	case label == "" || f.disagreement() != nil:
		return f.identify(database)
	case f.note != own: // all parts are from another folder, or the last write was interrupted
		return own.write(f.dir)
	}
	return nil
}

// settle returns a mismatch, or accepts it: it prepares the folder for being served as it is, so that Join records a
// new identity.
func (f *Folder) settle(mismatch error) error {
	if mismatch == nil || !f.acceptEmpty {
		return mismatch
	}
	f.log.Warn().Str("reason", mismatch.Error()).Msg("serving a data folder whose parts do not belong together; it gets a new identity")
	f.note = identity{ID: newID(), Pending: true, Any: true}
	if err := f.note.write(f.dir); err != nil {
		return err
	}
	if !f.database.used() {
		// The journal belongs to the missing database, and restoring that may need it.
		journal := filepath.Join(f.dir, Database+".journal")
		if err := os.Rename(journal, journal+".unused"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("data folder: %w", err)
		}
	}
	// The search index has other nodes than the database. Query builds it again.
	indexes, err := filepath.Glob(filepath.Join(f.dir, "search.db*"))
	for _, path := range indexes {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// identify writes an identity to all parts. If it is interrupted, the pending identity in the folder itself shows
// which parts may be without it.
func (f *Folder) identify(database Label) error {
	if !f.note.Pending {
		f.note = identity{ID: newID(), Pending: true}
		if err := f.note.write(f.dir); err != nil {
			return err
		}
	}
	own := identity{ID: f.note.ID}
	if err := own.writeParts(f.dir); err != nil {
		return err
	}
	if err := database.SetLabel(own.ID); err != nil {
		return err
	}
	return own.write(f.dir)
}

// Restored writes the identity of a restored folder to its parts, which are in place. The database has it as its label.
func Restored(dir, id string) error {
	own := identity{ID: id}
	if err := own.writeParts(dir); err != nil {
		return err
	}
	return own.write(dir)
}

// writeParts writes the identity to the parts that are folders, which it creates if they are absent.
func (i identity) writeParts(dir string) error {
	for _, name := range []string{Objects, Streams} {
		part := filepath.Join(dir, name)
		if err := os.MkdirAll(part, 0o700); err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		if err := i.write(part); err != nil {
			return err
		}
	}
	return nil
}

func newID() string { return rand.Text() }
