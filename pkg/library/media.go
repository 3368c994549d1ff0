package library

import "strings"

// TypeOf returns the likely workflow type of a file of a declared media type. Once the bytes are stored, they
// decide.
func TypeOf(contentType string) string {
	if strings.HasPrefix(strings.ToLower(contentType), "image/") {
		return PlanOf("Image").Type
	}
	return PlanOf("").Type
}
