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
)

// ErrDamaged means that the check found damage.
var ErrDamaged = errors.New("the data folder is damaged; see docs/production.md, Backup and restore")

// Verify checks the data directory and writes its findings to out, one per line. It returns
// ErrDamaged if there are any, and ErrInUse if a server uses the directory.
func Verify(ctx context.Context, folder string, repair bool, out io.Writer) error {
	dir, err := endpoints.Dir(folder)
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
	database := filepath.Join(dir, "dynamodb.db")
	if repair {
		damage, err := dynamolite.RepairJournal(database)
		if err != nil {
			v.found(err.Error())
		} else if damage != nil {
			v.print("repaired: %s was truncated at offset %d, which drops the damaged commit and %d later ones", damage.File, damage.Offset, damage.Later)
		}
	}
	v.part("database", "values", database, func() (int, error) { return embedded.VerifyDynamoDB(database, v.found) })
	objects := filepath.Join(dir, "s3")
	v.part("objects", "objects", objects, func() (int, error) { return embedded.VerifyS3(objects, repair, v.found) })
	streams := filepath.Join(dir, "nats")
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

func (v *verification) part(name, unit, path string, check func() (int, error)) {
	if _, err := os.Stat(path); err != nil {
		v.found(fmt.Sprintf("%s: %v", name, err))
		return
	}
	n, err := check()
	if err != nil {
		v.found(fmt.Sprintf("%s: %v", name, err))
	}
	v.print("%s: %d %s read", name, n, unit)
}
