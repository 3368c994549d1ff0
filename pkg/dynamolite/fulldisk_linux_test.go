package dynamolite_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

// smallDisk is set in the process that may mount a small file system on this folder.
const smallDisk = "DYNAMOLITE_SMALL_DISK"

// TestAFullDiskRefusesWritesUntilThereIsSpace runs itself in a mount namespace of its own.
func TestAFullDiskRefusesWritesUntilThereIsSpace(t *testing.T) {
	if dir := os.Getenv(smallDisk); dir != "" {
		fillDisk(t, dir)
		return
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	child.Env = append(os.Environ(), smallDisk+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWNS | syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func fillDisk(t *testing.T, dir string) {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 6<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	s.table("full", "pk:S", "")
	text := strings.Repeat("x", 300<<10)
	stored := 0
	put := func() error {
		_, err := s.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("full"), Item: object{"pk": value(strconv.Itoa(stored)), "text": value(text)}})
		if err == nil {
			stored++
		}
		return err
	}
	for err = nil; err == nil && stored < 100; {
		err = put()
	}
	status, _ := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if api, ok := errors.AsType[smithy.APIError](err); !ok || api.ErrorCode() != "StorageFull" || status.HTTPStatusCode() != http.StatusServiceUnavailable {
		t.Fatalf("after %d items the disk is full: %v", stored, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := put(); err != nil {
			t.Fatalf("with space again: %v", err)
		}
	}
	content, err := os.ReadFile(path) // as a crash leaves it, beside its journal
	if err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(path + ".journal")
	if err != nil {
		t.Fatal(err)
	}
	crashed := filepath.Join(t.TempDir(), "db")
	if err := errors.Join(os.WriteFile(crashed, content, 0o600), os.WriteFile(crashed+".journal", journal, 0o600)); err != nil {
		t.Fatal(err)
	}
	again := start(t, dynamolite.Options{Path: crashed, SweepInterval: -1})
	for i := range stored {
		got, err := again.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("full"), Key: object{"pk": value(strconv.Itoa(i))}})
		if err != nil || len(got.Item) != 2 {
			t.Errorf("after a crash item %d has %d attributes, %v", i, len(got.Item), err)
		}
	}
}
