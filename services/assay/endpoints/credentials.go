package endpoints

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// AccessKey is the default access key of the embedded S3 and DynamoDB engines, and the default user
// of the embedded NATS server.
const AccessKey = "assay"

// Credentials are the keys of the embedded S3 and DynamoDB engines.
type Credentials struct{ AccessKey, SecretKey string }

// NATSPassword returns the default password of the embedded NATS server. It is derived from the
// secret key, because NATS clients send it to any program that listens on the server's port.
func (c Credentials) NATSPassword() string {
	h := hmac.New(sha256.New, []byte(c.SecretKey))
	h.Write([]byte("nats password of " + c.AccessKey))
	return hex.EncodeToString(h.Sum(nil))
}

// CredentialsPath returns the file with the keys in a data directory.
func CredentialsPath(dir string) string { return filepath.Join(dir, "credentials") }

// EnsureCredentials returns the keys of a data directory. The first call creates them, with a
// random secret, in a file that only its owner can read. One process at a time may call it.
func EnsureCredentials(dir string) (Credentials, error) {
	path := CredentialsPath(dir)
	keys, err := ReadCredentials(path)
	if errors.Is(err, fs.ErrNotExist) {
		keys = Credentials{AccessKey: AccessKey, SecretKey: rand.Text() + rand.Text()}
		return keys, replaceFile(path, fmt.Appendf(nil, "[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", keys.AccessKey, keys.SecretKey))
	}
	if err != nil {
		return Credentials{}, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return Credentials{}, fmt.Errorf("credentials: %w", err)
	}
	return keys, nil
}

// ReadCredentials reads a file created by EnsureCredentials, which contains one profile in the
// format of AWS's shared credentials file. The error is fs.ErrNotExist if there is none.
func ReadCredentials(path string) (Credentials, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Credentials{}, fmt.Errorf("credentials: %w", err)
	}
	var keys Credentials
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(line, "=")
		switch strings.TrimSpace(name) {
		case "aws_access_key_id":
			keys.AccessKey = strings.TrimSpace(value)
		case "aws_secret_access_key":
			keys.SecretKey = strings.TrimSpace(value)
		}
	}
	if keys.AccessKey == "" || keys.SecretKey == "" {
		return Credentials{}, fmt.Errorf("%s lacks aws_access_key_id or aws_secret_access_key; remove the file, and the next start of assay serve creates a new one", path)
	}
	return keys, nil
}
