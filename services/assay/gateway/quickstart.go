package gateway

import _ "embed"

//go:embed quickstart.md
var quickstart string

// Quickstart returns the introduction of the API description that all services have together, in Markdown.
func Quickstart() string { return quickstart }
