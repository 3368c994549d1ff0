package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// credential matches the names of credentials that are variables.
var credential = regexp.MustCompile(`^` + ownPrefix + `[A-Z0-9_]+$`)

// SetCredentials sets a variable of this process for each credential that systemd has stored for it (LoadCredential=)
// and that has the name of a variable of the project, such as ASSAY_NEWSAPI_KEY. The value is the content of the file
// without white space at its end. Variables that are already set, even to an empty value, keep their values. Without
// systemd, SetCredentials does nothing.
func SetCredentials() error {
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // inherited from a parent process whose credentials are gone
	}
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, set := os.LookupEnv(name); set || !credential.MatchString(name) {
			continue
		}
		value, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("credentials: %w", err)
		}
		if err := os.Setenv(name, strings.TrimRight(string(value), " \t\r\n")); err != nil {
			return fmt.Errorf("credentials: %s: %w", name, err)
		}
	}
	return nil
}
