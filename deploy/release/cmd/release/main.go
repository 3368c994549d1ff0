// Command release makes the files of a release; see make release.
package main

import (
	"os"

	"github.com/assay-project/assay/deploy/release"
)

func main() { os.Exit(release.Main(os.Args[1:])) }
