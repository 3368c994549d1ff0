//go:build !noengines

package main

import (
	"github.com/spf13/cobra"

	"github.com/assay-project/assay/services/assay/serve"
)

// serveCommand is `assay serve`, with the engines that it runs on.
func serveCommand() *cobra.Command { return serve.Command() }

// verifyCommand is `assay verify`, which reads what they store.
func verifyCommand() *cobra.Command { return serve.VerifyCommand() }
