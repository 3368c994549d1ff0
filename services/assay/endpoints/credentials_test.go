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
		t.Errorf("before the first start: %v", err)
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
		t.Errorf("the second call returned other keys, %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %v, %v", info.Mode(), err)
	}
	other, err := EnsureCredentials(t.TempDir())
	if err != nil || other.SecretKey == made.SecretKey || len(made.SecretKey) < 40 || made.AccessKey != AccessKey {
		t.Errorf("another folder has the same secret, or the secret is short: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d files in the folder, %v", len(left), err)
	}
}

func TestIncompleteCredentialsAreRejected(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "[default]\n", "[default]\naws_access_key_id = assay\n", "aws_secret_access_key=x"} {
		if err := os.WriteFile(CredentialsPath(dir), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if keys, err := EnsureCredentials(dir); err == nil || !strings.Contains(err.Error(), CredentialsPath(dir)) {
			t.Errorf("%q: %+v, %v", content, keys, err)
		}
	}
}

// TestEnvironHasTheServersKeys checks that commands for the engines of a data directory get the
// keys of that server, even if the environment contains others.
func TestEnvironHasTheServersKeys(t *testing.T) {
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
		t.Error("not the keys and the region of the server")
	}
	if err := Write(dir, Endpoints{NATS: "nats://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if last("AWS_SECRET_ACCESS_KEY") != "of another account" || last("AWS_ACCESS_KEY_ID") != AccessKey {
		t.Error("a server with keys from its environment is called with keys from the data directory")
	}
}
