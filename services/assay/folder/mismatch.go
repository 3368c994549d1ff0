package folder

import "fmt"

// MismatchError means that two parts of a data folder do not belong together.
type MismatchError struct {
	Dir string
	// Parts are the names of two parts that disagree, and Found describes each.
	Parts, Found [2]string
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("the parts of data folder %s do not belong together: %s %s, but %s %s; restore all parts from one backup, "+
		"or start with the parts as they are with \"assay serve --accept-empty\" (docs/production.md, Backup and restore)",
		e.Dir, e.Parts[0], e.Found[0], e.Parts[1], e.Found[1])
}

// mismatch returns an error if the parts do not belong together.
func (f *Folder) mismatch() error {
	err := f.disagreement()
	if err == nil && f.note.ID != "" && !f.note.Pending && !f.database.used() {
		return f.differ(f.database, part{name: identityFile, state: stateUsed, id: f.note.ID}) // all parts are missing
	}
	if err == nil || !f.note.Pending {
		return err
	}
	for _, p := range []part{f.objects, f.streams, f.database} {
		if p.id != "" && p.id != f.note.ID && !f.note.Any {
			return err
		}
	}
	return nil // the identity is being written
}

// disagreement returns an error if some parts hold data and others do not, or if their identities differ.
func (f *Folder) disagreement() error {
	for _, other := range []part{f.streams, f.database} {
		if f.objects.used() != other.used() || f.objects.id != other.id {
			return f.differ(f.objects, other)
		}
	}
	return nil
}

func (f *Folder) differ(one, other part) error {
	return &MismatchError{Dir: f.dir, Parts: [2]string{one.name, other.name}, Found: [2]string{one.describe(), other.describe()}}
}
