// The program stamps prints the names and versions of the libraries that produce results.
package main

import (
	"fmt"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/extract/webpage"
)

func main() { fmt.Printf("%s\n%s\n", extract.Engine(), webpage.Engine()) }
