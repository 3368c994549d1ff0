// Command assay is the whole of Assay in one program: `assay serve` runs it,
// the other commands use it.
package main

import (
	"os"

	"github.com/assay-project/assay/services/assay/cmd"
)

func main() { os.Exit(cmd.Main()) }
