// Command assay is the whole of Assay in one program: `assay serve` runs it,
// the other commands use it.
package main

import (
	"os"

	"github.com/assay-project/assay/services/assay/cli"
	"github.com/assay-project/assay/services/assay/gateway"
	"github.com/assay-project/assay/services/assay/licenses"
	"github.com/assay-project/assay/services/assay/rebuild"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/assay/sweep"
)

func main() {
	os.Exit(cli.Main(serveCommand(), verifyCommand(), gateway.Command(), setup.Command(), sweep.Command(), rebuild.Command(), licenses.Command()))
}
