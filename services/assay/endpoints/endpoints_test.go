package endpoints

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestWriteThenRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	want := Endpoints{HTTP: "http://127.0.0.1:8080", Operator: "http://127.0.0.1:8084", NATS: "nats://127.0.0.1:1", S3: "http://127.0.0.1:2", DynamoDB: "http://127.0.0.1:3", Region: "us-east-1", Credentials: "/data/credentials"}
	for range 2 {
		if err := Write(dir, want); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Read(dir); err != nil || got != want {
		t.Fatalf("Read = %+v, %v, want %+v", got, err, want)
	}
	content, err := os.ReadFile(Path(dir))
	const text = `{
  "http": "http://127.0.0.1:8080",
  "nats": "nats://127.0.0.1:1",
  "s3": "http://127.0.0.1:2",
  "dynamodb": "http://127.0.0.1:3",
  "region": "us-east-1",
  "credentials": "/data/credentials"
}
`
	if err != nil || string(content) != text {
		t.Errorf("wrote %s, %v, want %s", content, err, text)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("got %d files in the folder, %v, want only the two endpoint files", len(left), err)
	}
}

func TestReadWithoutFile(t *testing.T) {
	if _, err := Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing file: got %v, want %v", err, fs.ErrNotExist)
	}
	dir := t.TempDir()
	if err := os.WriteFile(Path(dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a truncated file: got %v, want a parse error", err)
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(Path(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, Endpoints{}); err == nil {
		t.Fatal("Write over a directory succeeded, want an error")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("got %d entries, %v, want only the directory", len(left), err)
	}
}

func TestDir(t *testing.T) {
	t.Setenv("ASSAY_DATA_DIR", "/from/variable")
	for named, want := range map[string]string{"named": "named", "": "/from/variable"} {
		if dir, err := Dir(named); err != nil || dir != want {
			t.Errorf("Dir(%q) = %s, %v, want %s", named, dir, err, want)
		}
	}
	t.Setenv("ASSAY_DATA_DIR", "")
	if runtime.GOOS != "linux" {
		if dir, err := Dir(""); err != nil || filepath.Base(dir) != "assay" {
			t.Errorf("Dir = %s, %v, want a folder named assay", dir, err)
		}
		return
	}
	tests := []struct{ home, xdg, want string }{
		{"/home/ann", "", "/home/ann/.local/share/assay"},
		{"/home/ann", "/data", "/data/assay"},
		{"/home/ann", "relative", "/home/ann/.local/share/assay"},
	}
	for _, tt := range tests {
		t.Setenv("HOME", tt.home)
		t.Setenv("XDG_DATA_HOME", tt.xdg)
		if dir, err := Dir(""); err != nil || dir != tt.want {
			t.Errorf("with HOME=%s XDG_DATA_HOME=%s: Dir = %s, %v, want %s", tt.home, tt.xdg, dir, err, tt.want)
		}
	}
}
