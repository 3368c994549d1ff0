// Command assay runs all of Assay in one program: `assay serve` is the server, and most of the other
// commands are its clients.
package main

import (
	"os"

	"github.com/assay-project/assay/services/assay/cmd"
)

func main() { os.Exit(compiling(cmd.Main)) }
