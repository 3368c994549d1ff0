package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/folder"
)

// ErrDamaged means that the check found damage.
var ErrDamaged = errors.New("the data folder is damaged; see docs/production.md, Backup and restore")

// Verify checks the data directory and writes its findings to out, one per line. It returns
// ErrDamaged if there are any, and ErrInUse if a server uses the directory.
func Verify(ctx context.Context, data string, repair bool, out io.Writer) error {
	dir, err := endpoints.Dir(data)
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	dir, release, err := claim(dir)
	if err != nil {
		return err
	}
	defer release()
	v := verification{out: out}
	database := filepath.Join(dir, folder.Database)
	if repair {
		damage, err := dynamolite.RepairJournal(database)
		if err != nil {
			v.found(err.Error())
		} else if damage != nil {
			v.print("repaired: %s was truncated at offset %d, which drops the damaged commit and %d later ones", damage.File, damage.Offset, damage.Later)
		}
	}
	v.together(dir, database)
	v.part("database", "values", database, func() (int, error) { return embedded.VerifyDynamoDB(database, v.found) })
	objects := filepath.Join(dir, folder.Objects)
	v.part("objects", "objects", objects, func() (int, error) { return embedded.VerifyS3(objects, repair, v.found) })
	streams := filepath.Join(dir, folder.Streams)
	v.part("streams", "messages", streams, func() (int, error) { return embedded.VerifyNATS(ctx, streams, v.found) })
	if v.err != nil {
		return v.err
	}
	if v.problems > 0 {
		return fmt.Errorf("problems found: %d; %w", v.problems, ErrDamaged)
	}
	return nil
}

type verification struct {
	out      io.Writer
	problems int
	err      error // errors from writing to out
}

func (v *verification) print(format string, args ...any) {
	_, err := fmt.Fprintf(v.out, format+"\n", args...)
	v.err = errors.Join(v.err, err)
}

func (v *verification) found(problem string) {
	v.problems++
	v.print("problem: %s", problem)
}

// together checks that the parts of the folder belong together.
func (v *verification) together(dir, database string) {
	parts, err := folder.Examine(dir)
	label := ""
	if err == nil && parts.HasDatabase() {
		if label, err = embedded.DynamoDBLabel(database); err != nil {
			return // the check of the database reports the error
		}
	}
	if err == nil {
		err = parts.Check(label)
	}
	if err != nil {
		v.found(err.Error())
	}
}

func (v *verification) part(name, unit, path string, check func() (int, error)) {
	empty, err := isEmpty(path)
	if empty { // an engine would write to it
		err = fmt.Errorf("%s is empty; restore it from a backup", path)
	}
	if err != nil {
		v.found(fmt.Sprintf("%s: %v", name, err))
		return
	}
	n, err := check()
	if err != nil {
		v.found(fmt.Sprintf("%s: %v", name, err))
	}
	v.print("%s: %d %s read", name, n, unit)
}

// isEmpty reports whether a file or folder is empty.
func isEmpty(path string) (bool, error) {
	is, err := os.Stat(path)
	if err != nil || !is.IsDir() {
		return err == nil && is.Size() == 0, err
	}
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0, err
}
