package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// state is the state of a part.
type state int

const (
	stateAbsent state = iota
	stateEmpty
	stateUsed // it holds data, or an identity
)

// part is a part of a data folder.
type part struct {
	name  string
	state state
	id    string // identity of its folder; "" if it has none
}

func (p part) used() bool { return p.state == stateUsed }

// describe continues a sentence that begins with the name of the part.
func (p part) describe() string {
	switch {
	case p.state == stateAbsent:
		return "is absent"
	case p.state == stateEmpty:
		return "is empty"
	case p.id == "":
		return "has data without an identity"
	}
	return "is part of folder " + p.id
}

// examineDatabase examines the database without opening it.
func examineDatabase(dir string) (part, error) {
	p := part{name: Database}
	file, err := os.Stat(filepath.Join(dir, Database))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, nil
	case err != nil:
		return p, err
	}
	p.state = stateEmpty
	if file.Size() > 0 {
		p.state = stateUsed
	}
	return p, nil
}

// examineFolder examines a part that is a folder. It holds data if it has an identity, or if the folder below it with
// the given name has entries.
func examineFolder(dir, name, below string) (p part, err error) {
	p.name = name
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	p.state = stateEmpty
	found, err := readIdentity(path)
	if err != nil {
		return p, err
	}
	p.id = found.ID
	entries, err := os.ReadDir(filepath.Join(path, below))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	if p.id != "" || len(entries) > 0 {
		p.state = stateUsed
	}
	return p, nil
}
