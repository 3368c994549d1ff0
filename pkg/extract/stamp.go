package extract

import "github.com/assay-project/assay/pkg/extract/stamp"

// Engine is the name and version of the library that recognizes media types.
func Engine() string { return stamp.Of("github.com/gabriel-vasile/mimetype") }
