package process

import (
	"fmt"
	"strings"

	"github.com/assay-project/assay/pkg/config"
)

// usage returns the help of a service: its arguments, and the variables that users must or often set.
func usage(service string, variables []config.Variable) string {
	var out strings.Builder
	fmt.Fprintf(&out, `Runs the service %[1]s until it is interrupted. A second interrupt ends it at once.

Usage:
  %[1]s           run the service
  %[1]s health    check whether the service that runs with the same settings is ready
  %[1]s version   print the version
  %[1]s licenses  print the licenses
  %[1]s help      print this help

Settings are environment variables. Those that users must or often set (all: docs/settings.md):
`, service)
	for _, v := range variables {
		if v.Use == config.Rarely {
			continue
		}
		value := ""
		switch {
		case v.Required:
			value = " (required)"
		case v.Default != "":
			value = " (default " + v.Default + ")"
		}
		fmt.Fprintf(&out, "\n  %s%s\n      %s\n", v.Name, value, v.Doc)
	}
	out.WriteString("\nExit status: 0 on success, 1 on failure, 2 for an invalid argument or setting.\n")
	return out.String()
}
