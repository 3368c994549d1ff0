package endpoints

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestCredentialsAreCreatedOnce(t *testing.T) {
	dir := t.TempDir()
	path := CredentialsPath(dir)
	if _, err := ReadCredentials(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadCredentials before the first start: got %v, want %v", err, fs.ErrNotExist)
	}
	made, err := EnsureCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := EnsureCredentials(dir)
	if err != nil || again != made {
		t.Errorf("second EnsureCredentials: got other keys, %v, want the same", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got the mode %v, %v, want 0600", info.Mode(), err)
	}
	other, err := EnsureCredentials(t.TempDir())
	if err != nil || other.SecretKey == made.SecretKey || len(made.SecretKey) < 40 || made.AccessKey != AccessKey {
		t.Errorf("EnsureCredentials of another folder: got the same secret or a short one, %v, want a new secret of at least 40 characters", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("got %d files in the folder, %v, want 1", len(left), err)
	}
}

func TestIncompleteCredentialsAreRejected(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "[default]\n", "[default]\naws_access_key_id = assay\n", "aws_secret_access_key=x"} {
		if err := os.WriteFile(CredentialsPath(dir), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if keys, err := EnsureCredentials(dir); err == nil || !strings.Contains(err.Error(), CredentialsPath(dir)) {
			t.Errorf("EnsureCredentials with %q = %+v, %v, want an error with the path", content, keys, err)
		}
	}
}

// TestEnvironContainsKeysOfServer checks that commands for the engines of a data directory get the
// keys of its server, even if the environment contains other keys.
func TestEnvironContainsKeysOfServer(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"ASSAY_NATS_URL", "ASSAY_DYNAMODB_ENDPOINT", "AWS_ACCESS_KEY_ID"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "of another account")
	keys, err := EnsureCredentials(dir)
	if err != nil {
		t.Fatal(err)
	}
	last := func(name string) string {
		t.Helper()
		environ, err := Environ(dir)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(environ)
		for _, variable := range environ {
			if value, found := strings.CutPrefix(variable, name+"="); found {
				return value
			}
		}
		return ""
	}
	if err := Write(dir, Endpoints{NATS: "nats://127.0.0.1:1", Credentials: CredentialsPath(dir), Region: "eu-north-1"}); err != nil {
		t.Fatal(err)
	}
	if last("AWS_SECRET_ACCESS_KEY") != keys.SecretKey || last("AWS_ACCESS_KEY_ID") != AccessKey || last("AWS_REGION") != "eu-north-1" {
		t.Error("got other keys or another region in the environment, want those of the server")
	}
	if err := Write(dir, Endpoints{NATS: "nats://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if last("AWS_SECRET_ACCESS_KEY") != "of another account" || last("AWS_ACCESS_KEY_ID") != AccessKey {
		t.Error("got other keys, want those from the environment, because the server also gets its keys from there")
	}
}
