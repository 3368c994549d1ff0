package library

import "strings"

// TypeOf returns the likely workflow type of a file with a declared media type. Once the content is stored,
// the content determines the type.
func TypeOf(contentType string) string {
	if strings.HasPrefix(strings.ToLower(contentType), "image/") {
		return PlanOf("Image").Type
	}
	return PlanOf("").Type
}
