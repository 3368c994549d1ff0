package cmd

import (
	"os"
	"path/filepath"

	"github.com/assay-project/assay/pkg/library"
)

// names determines the names under which local files and folders are stored.
type names struct {
	replace bool                    // whether names that are not allowed are replaced
	tell    func(path, name string) // reports a replaced name
	refused int                     // number of names that are not allowed and were not replaced

	used map[string]library.UniqueNames // names that are stored in one folder of the library, by the local folder
}

// of returns the name of the file or folder at a path, or an error if it is not allowed. siblings returns the paths of
// everything that is stored in the same folder, which within identifies: no two of them get the same name by a replacement.
func (n *names) of(path, within string, siblings func() []string) (string, error) {
	given := filepath.Base(path)
	name, err := library.CleanName(given)
	switch {
	case err == nil:
		return name, nil
	case !n.replace:
		n.refused++
		return "", err
	}
	used, listed := n.used[within]
	if !listed {
		used = library.UniqueNames{}
		for _, sibling := range siblings() {
			if clean, err := library.CleanName(filepath.Base(sibling)); err == nil {
				used.Add(clean)
			}
		}
		if n.used == nil {
			n.used = map[string]library.UniqueNames{}
		}
		n.used[within] = used
	}
	name = used.Add(library.PlainName(given))
	n.tell(path, name)
	return library.CleanName(name)
}

// entriesOf returns a function that lists the paths of the entries of a folder. It lists nothing if the folder cannot be read.
func entriesOf(folder string) func() []string {
	return func() (paths []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil // the error is reported where the folder is walked
		}
		for _, entry := range entries {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
		return paths
	}
}
