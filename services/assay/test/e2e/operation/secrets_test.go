package operation

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/endpoints"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestSecretsPerFolder: the keys of S3 are random, stored in a file that only its owner can read, and not shown
// anywhere.
func TestSecretsPerFolder(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), "ASSAY_LOG_LEVEL=trace")
	c := s.Client(t, system.NewOwner())
	system.UploadPresigned(t, c, "a.txt", "text/plain", []byte("signed"))
	system.Await(t, c, system.UploadMultipart(t, c, "a.txt", "text/plain", []byte("streamed")).FileID)

	guessed := s.System
	guessed.SecretKey = "assay-local"
	if _, err := guessed.Objects().ListBuckets(system.Within(t), &s3.ListBucketsInput{}); err == nil {
		t.Error("ListBuckets with the well-known secret succeeded, want an error")
	}
	_, metrics := send(t, "GET", s.Operator+"/metrics", "", "")
	shown := map[string]string{"the output": s.Program.Written(), "/metrics": metrics}
	if runtime.GOOS == "linux" {
		for _, file := range []string{"cmdline", "environ"} {
			content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", s.Program.Cmd.Process.Pid, file))
			if err != nil {
				t.Fatal(err)
			}
			shown[file] = string(content)
		}
	}
	for _, name := range []string{"endpoints.json", "operator.json"} {
		content, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		shown[name] = string(content)
	}
	for where, text := range shown {
		if strings.Contains(text, s.SecretKey) {
			t.Errorf("%s contains the secret, want it nowhere", where)
		}
	}
	before := s.SecretKey
	s.Program.Kill(t)
	s.Restart(t)
	if s.SecretKey != before {
		t.Error("a restart changed the secret, want the same secret")
	}
}

// TestFolderOfAnEarlierVersion: a data directory that was served with the well-known secret and was readable by others
// keeps all files, has its own secret and is private after the next start.
func TestFolderOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := system.Launch(t, "assay", []string{"ASSAY_ADDR=127.0.0.1:0", "AWS_SECRET_ACCESS_KEY=assay-local"}, "serve", "--data", dir)
	old.Await(t, "Assay is ready.")
	first := system.System{HTTP: readyAddress(t, dir)}
	owner := system.NewOwner()
	file := system.UploadMultipart(t, first.Client(t, owner), "old.txt", "text/plain", []byte("from before"))
	system.CheckResult(t, system.Await(t, first.Client(t, owner), file.FileID), system.Count("from before"))
	if status := old.Interrupt(t); status != 0 {
		t.Fatalf("exit status %d, want 0", status)
	}
	for _, path := range []string{"", "s3", "nats", "endpoints.json", "dynamodb.db"} {
		mode := os.FileMode(0o755)
		if strings.Contains(path, ".") {
			mode = 0o644
		}
		if err := os.Chmod(filepath.Join(dir, path), mode); err != nil {
			t.Fatal(err)
		}
	}

	s := system.StartServer(t, dir)
	if s.SecretKey == "assay-local" {
		t.Error("the secret is still the well-known one, want a random one")
	}
	c := s.Client(t, owner)
	system.CheckResult(t, system.Await(t, c, file.FileID), system.Count("from before"))
	if resp, err := s.Objects().GetObject(system.Within(t), &s3.GetObjectInput{Bucket: &s.Bucket, Key: &s.Keys(t)[0]}); err != nil {
		t.Error(err)
	} else if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v, want no access for others", path, info.Mode())
		}
		if entry.IsDir() && path != dir {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// readyAddress returns the HTTP address of a server with keys from its environment.
func readyAddress(t *testing.T, dir string) string {
	t.Helper()
	at, err := endpoints.Read(dir)
	if err != nil || at.Credentials != "" {
		t.Fatalf("the credentials file is %q, %v; want none for keys from the environment", at.Credentials, err)
	}
	return at.HTTP
}
