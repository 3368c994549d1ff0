package library

import "strings"

// TypeOf is the type of workflow that a file of a declared media type probably has. The bytes decide,
// once they are stored.
func TypeOf(contentType string) string {
	if strings.HasPrefix(strings.ToLower(contentType), "image/") {
		return PlanOf("Image").Type
	}
	return PlanOf("").Type
}
