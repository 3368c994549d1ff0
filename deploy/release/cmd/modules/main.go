// Command modules rewrites the go.mod files of the repository for a release and prints the tags of the release. Run it in
// the root of the repository:
//
//	go run ./deploy/release/cmd/modules v0.1.0
package main

import (
	"fmt"
	"os"

	"github.com/assay-project/assay/deploy/release/modules"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: modules VERSION")
		os.Exit(2)
	}
	tags, err := modules.Write(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
	for _, tag := range tags {
		fmt.Println(tag)
	}
}
