package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/services/assay/embedded"
	"github.com/assay-project/assay/services/assay/endpoints"
)

// ErrDamaged is the error of a check that has found something.
var ErrDamaged = errors.New("the data folder is damaged; see docs/running.md, Backup and restore")

// VerifyCommand is `assay verify`.
func VerifyCommand() *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check a stopped data folder of assay serve",
		Long: `Check everything in the data folder of "assay serve": the database and its
journal, all objects, and the streams of NATS. It refuses a folder that is in use.

As a start does, it first replays the journal that a crash has left, and restores
metadata that a copy without extended attributes has dropped.

With --repair it cuts a damaged journal before the first damaged commit, which
drops that commit and all later ones and keeps a copy of the journal, and it
rewrites copies of metadata. Restore anything else from a backup.

Exit status: 0 when nothing is wrong, 1 when something is.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "cut a damaged journal, and rewrite copies of metadata")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		folder, err := cmd.Flags().GetString("data")
		if err != nil {
			return err
		}
		return Verify(cmd.Context(), folder, repair, cmd.OutOrStdout())
	}
	return cmd
}

// Verify checks the data folder and writes what it finds to out, a line each. It
// returns ErrDamaged if there is anything, and ErrInUse for a folder that is served.
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
			v.print("repaired: %s was cut at offset %d; the damaged commit and %d later ones are dropped", damage.File, damage.Offset, damage.Later)
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
		return fmt.Errorf("%d problems: %w", v.problems, ErrDamaged)
	}
	return nil
}

type verification struct {
	out      io.Writer
	problems int
	err      error // of out
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
