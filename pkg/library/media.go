package library

import (
	"strings"

	"github.com/assay-project/assay/pkg/extract"
)

// TypeOf returns the likely type of a file with a declared media type. Once the content is stored, the content
// determines the type.
func TypeOf(contentType string) extract.Type {
	if strings.HasPrefix(strings.ToLower(contentType), "image/") {
		return extract.Image
	}
	return extract.Generic
}
