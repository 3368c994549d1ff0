package dynamolite_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/dynamolite/disktest"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"
)

func TestFullDiskRejectsWritesUntilSpaceIsFreed(t *testing.T) {
	disktest.Run(t, "size=16m", fillDatabase)
}

func fillDatabase(t *testing.T, dir string) {
	free := disktest.Fill(t, dir, 6<<20)
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
		t.Fatalf("after %d items: got error %v, want StorageFull with status 503", stored, err)
	}
	free()
	for range 3 {
		if err := put(); err != nil {
			t.Fatalf("with free space: got error %v, want nil", err)
		}
	}
	content, err := os.ReadFile(path) // a crash would leave these contents of the file and its journal
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
			t.Errorf("after a crash: item %d has %d attributes, want 2; error %v", i, len(got.Item), err)
		}
	}
}
