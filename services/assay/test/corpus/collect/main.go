// Command collect searches folders for documents of the corpus and copies them into one folder. Useful folders are
// checkouts of the repositories in the manifest, and the folders into which Debian packages install files.
//
//	go run ./services/assay/test/corpus/collect -to DIR tika leanda-core /usr
//
// Documents are identified by their SHA-256, regardless of their path. The command prints the addresses of missing
// documents.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assay-project/assay/services/assay/test/corpus"
)

func main() {
	to := flag.String("to", "", "folder for the documents")
	flag.Parse()
	if *to == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := collect(*to, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "collect:", err)
		os.Exit(1)
	}
}

// largest is the maximum size of a document in bytes.
const largest = 4 << 20

func collect(to string, from []string) error {
	all, err := corpus.All()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	wanted, endings := map[string]corpus.Document{}, map[string]bool{}
	for _, d := range all {
		wanted[d.SHA256], endings[d.Ending()] = d, true
	}
	for _, folder := range from {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || !endings[strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))] {
				return ignoreUnreadable(err)
			}
			if info, err := entry.Info(); err != nil || info.Size() > largest {
				return ignoreUnreadable(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return ignoreUnreadable(err)
			}
			d, ok := wanted[corpus.Sum(data)]
			if !ok {
				return nil
			}
			delete(wanted, d.SHA256)
			return os.WriteFile(filepath.Join(to, d.Name()), data, 0o644)
		})
		if err != nil {
			return err
		}
	}
	for _, d := range wanted {
		fmt.Println("missing:", d.Address)
	}
	fmt.Printf("%d of %d documents are in %s\n", len(all)-len(wanted), len(all), to)
	return nil
}

// ignoreUnreadable returns nil if err means that a file does not exist or that this user may not read it, and err
// otherwise.
func ignoreUnreadable(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return nil
	}
	return err
}
