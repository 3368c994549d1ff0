package dynamolite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// RepairJournal truncates the journal of the bbolt file at path at its first damaged
// record, and stores a copy under the journal's name with ".damaged" appended. It
// drops the damaged commit and all later ones. It returns the damage, or nil if there
// is none. It fails if the damage is not Repairable, if the file is open, or if an
// earlier copy exists.
func RepairJournal(path string) (*CorruptError, error) {
	file, err := os.OpenFile(path+".journal", os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("dynamolite: %w", err)
	}
	damage, err := repair(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("dynamolite: repairing %s: %w", file.Name(), err)
	}
	return damage, nil
}

func repair(file *os.File) (*CorruptError, error) {
	if err := lockFile(file); err != nil {
		return nil, fmt.Errorf("the file is in use: %w", err)
	}
	content, err := os.ReadFile(file.Name())
	if err != nil {
		return nil, err
	}
	_, err = parseJournal(file.Name(), content)
	damage, ok := errors.AsType[*CorruptError](err)
	if !ok || !damage.Repairable {
		return nil, err
	}
	if err := keep(file.Name()+".damaged", content); err != nil {
		return nil, err
	}
	blank := bytes.Repeat([]byte{0}, len(content)-int(damage.Offset))
	if _, err := file.WriteAt(blank, damage.Offset); err != nil {
		return nil, err
	}
	return damage, file.Sync()
}

// keep writes content to a new file.
func keep(name string, content []byte) error {
	kept, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = kept.Write(content)
	if err == nil {
		err = kept.Sync()
	}
	return errors.Join(err, kept.Close())
}
