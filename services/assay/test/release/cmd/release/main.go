// Command release rewrites the go.mod files of the repository for a release and prints the tags of the release. Run it in
// the root of the repository:
//
//	go run ./services/assay/test/release/cmd/release v0.1.0
package main

import (
	"fmt"
	"os"

	"github.com/assay-project/assay/services/assay/test/release"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: release VERSION")
		os.Exit(2)
	}
	tags, err := release.Write(".", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	for _, tag := range tags {
		fmt.Println(tag)
	}
}
