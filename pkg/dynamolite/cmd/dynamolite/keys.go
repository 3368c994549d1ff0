package main

import (
	"fmt"
	"os"
	"strings"
)

// readKeys returns the secret keys by access key of all profiles of a file in the format of AWS's shared credentials
// file. In a profile, the access key precedes its secret key.
func readKeys(path string) (map[string]string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	keys := map[string]string{}
	access := ""
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch name = strings.TrimSpace(name); {
		case strings.HasPrefix(name, "["):
			access = ""
		case name == "aws_access_key_id":
			access = value
		case name == "aws_secret_access_key" && access != "" && value != "":
			keys[access] = value
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("credentials: %s contains no aws_access_key_id with an aws_secret_access_key", path)
	}
	return keys, nil
}
