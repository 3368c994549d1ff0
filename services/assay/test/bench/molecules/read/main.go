// Command read prints the name, formula, weight, exact mass and charge of each record of an SDF, in one thread.
//
//	read FILE.sdf
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/pkg/extract/molecule"
	"github.com/assay-project/assay/pkg/extract/records"
	"github.com/assay-project/assay/services/assay/test/bench/command"
)

func main() {
	command.Main(run)
}

func run(_ context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("got %d arguments, want one", len(args))
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	w := bufio.NewWriter(out)
	s := records.NewScanner(file, molecule.BoundarySDF(), true)
	for {
		raw, err := s.Next()
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		r := molecule.ReadSDF(raw.Bytes)
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.Name, property(r, molecule.Formula), property(r, molecule.Weight),
			property(r, molecule.ExactMass), property(r, molecule.Charge)); err != nil {
			return err
		}
	}
}

// property returns a property as text, or "-" if it is not determined.
func property(r records.Record, name string) string {
	for _, p := range r.Properties {
		if p.Name == name {
			return fmt.Sprint(p.Value)
		}
	}
	return "-"
}
