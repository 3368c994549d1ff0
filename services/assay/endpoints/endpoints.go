// Package endpoints reads and writes the file that contains the addresses of a running server, in its
// data directory. The command line uses it to find the server; other clients can use it too.
package endpoints

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Endpoints contains the URLs of a running server, and the region and the credentials file of its embedded engines. The
// URL of NATS contains its user and password.
type Endpoints struct {
	HTTP     string `json:"http"`
	NATS     string `json:"nats"`
	S3       string `json:"s3"`
	DynamoDB string `json:"dynamodb"`
	// Region is the region for request signatures.
	Region string `json:"region,omitempty"`
	// Credentials is the file with the keys of S3 and DynamoDB, in the format of AWS's shared credentials file.
	// It is empty if the server gets its keys from its environment.
	Credentials string `json:"credentials,omitempty"`
	// Operator is the operator address. It is stored in a separate file, which other users of the
	// server need not be able to read.
	Operator string `json:"-"`
}

type operator struct {
	HTTP string `json:"http"`
}

// Path returns the path of the file in a data directory.
func Path(dir string) string { return filepath.Join(dir, "endpoints.json") }

// OperatorPath returns the path of the file with the operator address in a data directory.
func OperatorPath(dir string) string { return filepath.Join(dir, "operator.json") }

// Write writes the file to a data directory, which it creates if absent. The file is replaced
// atomically.
func Write(dir string, e Endpoints) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	// The operator address is written first, so that it exists once the main file does.
	if e.Operator != "" {
		if err := replace(OperatorPath(dir), operator{e.Operator}); err != nil {
			return err
		}
	}
	return replace(Path(dir), e)
}

func replace(path string, value any) error {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	return replaceFile(path, append(content, '\n'))
}

// replaceFile atomically writes a file that only its owner can read.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".endpoints-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("endpoints: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// Read reads the file of a data directory. The error is fs.ErrNotExist if no server has written one.
// The existence of the file does not mean that the server is running.
func Read(dir string) (Endpoints, error) {
	var e Endpoints
	var o operator
	if err := read(Path(dir), &e); err != nil {
		return Endpoints{}, err
	}
	if err := read(OperatorPath(dir), &o); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Endpoints{}, err
	}
	e.Operator = o.HTTP
	return e, nil
}

func read(path string, value any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, value); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Dir returns the data directory: the named one, otherwise ASSAY_DATA_DIR, otherwise the user's default,
// which is assay in $XDG_DATA_HOME or ~/.local/share, on macOS in ~/Library/Application Support, on
// Windows in %LocalAppData%. It is not in a cache directory, because systems clear those.
func Dir(named string) (string, error) {
	if dir := cmp.Or(named, os.Getenv("ASSAY_DATA_DIR")); dir != "" {
		return dir, nil
	}
	base, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("this user has no default data folder; set --data: %w", err)
	}
	return filepath.Join(base, "assay"), nil
}

func dataHome() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%
	case "darwin", "ios":
		return os.UserConfigDir() // ~/Library/Application Support
	}
	// The XDG specification requires ignoring relative paths.
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}

// Environ returns the environment of this process for commands that use the engines directly. If
// the environment contains no addresses, they are read from the file in the data directory, if it
// exists. For named, see Dir.
func Environ(named string) ([]string, error) {
	environ := os.Environ()
	if os.Getenv("ASSAY_NATS_URL") != "" || os.Getenv("ASSAY_DYNAMODB_ENDPOINT") != "" {
		return environ, nil
	}
	dir, err := Dir(named)
	if err != nil {
		return nil, err
	}
	at, err := Read(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return environ, nil // loading the settings reports missing values
	}
	if err != nil {
		return nil, err
	}
	environ = append(environ, "ASSAY_NATS_URL="+at.NATS, "ASSAY_DYNAMODB_ENDPOINT="+at.DynamoDB, "ASSAY_S3_ENDPOINT="+at.S3)
	if at.Region != "" {
		environ = append(environ, "AWS_REGION="+at.Region)
	}
	if at.Credentials == "" { // the server gets its keys from its environment, and so must this process
		return append(environ, "AWS_ACCESS_KEY_ID="+cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), AccessKey)), nil
	}
	keys, err := ReadCredentials(at.Credentials)
	if err != nil {
		return nil, err
	}
	return append(environ, "AWS_ACCESS_KEY_ID="+keys.AccessKey, "AWS_SECRET_ACCESS_KEY="+keys.SecretKey, "AWS_SESSION_TOKEN="), nil
}
