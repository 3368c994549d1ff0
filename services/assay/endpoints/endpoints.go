// Package endpoints is the note that a running server leaves in its data
// folder, so that the command line, the AWS CLI and any NATS client find it.
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

// Endpoints are the addresses of a running server, each a URL, and what its
// embedded engines expect of a client.
type Endpoints struct {
	HTTP     string `json:"http"`
	NATS     string `json:"nats"`
	S3       string `json:"s3"`
	DynamoDB string `json:"dynamodb"`
	// Region is the one that clients sign for.
	Region string `json:"region,omitempty"`
	// Credentials is the file with the keys of S3, in the form of AWS's shared
	// credentials file. It is empty where the server has its keys from its
	// environment.
	Credentials string `json:"credentials,omitempty"`
	// Operator is that of the calls for operators. It has a file of its own,
	// which those who only use the server need not be shown.
	Operator string `json:"-"`
}

type operator struct {
	HTTP string `json:"http"`
}

// Path is the file of the note in a data folder.
func Path(dir string) string { return filepath.Join(dir, "endpoints.json") }

// OperatorPath is the file of the operators' address in a data folder.
func OperatorPath(dir string) string { return filepath.Join(dir, "operator.json") }

// Write leaves the note in a data folder, which it makes if absent. A reader
// sees the old note or the new one, whole.
func Write(dir string, e Endpoints) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	// Whoever waits for the note finds the operators' address too.
	if e.Operator != "" {
		if err := replace(OperatorPath(dir), operator{e.Operator}); err != nil {
			return err
		}
	}
	return replace(Path(dir), e)
}

func replace(path string, note any) error {
	content, err := json.MarshalIndent(note, "", "  ")
	if err != nil {
		return fmt.Errorf("endpoints: %w", err)
	}
	return replaceFile(path, append(content, '\n'))
}

// replaceFile writes a file that its owner alone can read.
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

// Read reads the note of a data folder. The error is fs.ErrNotExist when no
// server ever left one; that there is one does not say that the server runs.
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

func read(path string, note any) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, note); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Dir is the data folder: the named one, else ASSAY_DATA_DIR, else that of this
// user, which is assay in $XDG_DATA_HOME or ~/.local/share, on macOS in
// ~/Library/Application Support, on Windows in %LocalAppData%. It is not a cache
// folder, since systems clear those.
func Dir(named string) (string, error) {
	if dir := cmp.Or(named, os.Getenv("ASSAY_DATA_DIR")); dir != "" {
		return dir, nil
	}
	base, err := dataHome()
	if err != nil {
		return "", fmt.Errorf("no data folder for this user, name one: %w", err)
	}
	return filepath.Join(base, "assay"), nil
}

func dataHome() (string, error) {
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // which is %LocalAppData%
	case "darwin", "ios":
		return os.UserConfigDir() // which is ~/Library/Application Support
	}
	// The XDG specification has relative paths ignored.
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "share"), nil
}

// Environ is the environment of this process, for what works on the engines
// themselves. Where it names none, they are those of the server that left its note
// in the data folder, if one did; named is as in Dir.
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
		return environ, nil // the settings say what is missing
	}
	if err != nil {
		return nil, err
	}
	environ = append(environ, "ASSAY_NATS_URL="+at.NATS, "ASSAY_DYNAMODB_ENDPOINT="+at.DynamoDB, "ASSAY_S3_ENDPOINT="+at.S3)
	if at.Region != "" {
		environ = append(environ, "AWS_REGION="+at.Region)
	}
	if at.Credentials == "" { // the server has its keys from its environment, as this process must
		return append(environ, "AWS_ACCESS_KEY_ID="+cmp.Or(os.Getenv("AWS_ACCESS_KEY_ID"), AccessKey)), nil
	}
	keys, err := ReadCredentials(at.Credentials)
	if err != nil {
		return nil, err
	}
	return append(environ, "AWS_ACCESS_KEY_ID="+keys.AccessKey, "AWS_SECRET_ACCESS_KEY="+keys.SecretKey, "AWS_SESSION_TOKEN="), nil
}
