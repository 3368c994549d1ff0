package dynamolite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestKilledBackupIsCompleted kills a process that is creating a backup while clients write. The next process completes
// the backup, which has the items of its start.
func TestKilledBackupIsCompleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	prepare, err := dynamolite.Open(dynamolite.Options{Path: path, Sync: dynamolite.SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, prepare)
	s.table("left", "id:S", "", withStream(types.StreamViewTypeKeysOnly))
	s.table("right", "id:S", "", withIndex("by_n", "kind:S", "n:N", types.ProjectionTypeAll))
	s.fill("left", 8000, 1000)
	for writer := range crashWriters {
		s.put("left", item("id", fmt.Sprint(writer)))
	}
	want := s.all("left")
	if err := prepare.Close(); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		name := fmt.Sprint("round", round)
		killWhileWriting(t, path, 50, crashBackup+"="+name)
		engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		s := serve(t, engine)
		summaries := must(s.ListBackups(t.Context(), &dynamodb.ListBackupsInput{}))(t).BackupSummaries
		if len(summaries) != round+1 {
			t.Fatalf("round %d: got %d backups, want %d", round, len(summaries), round+1)
		}
		last := summaries[round]
		if last.BackupStatus != types.BackupStatusCreating || *last.BackupName != name {
			t.Errorf("round %d: the killed process left the backup %+v, want an incomplete one", round, last)
		}
		s.intact()
		current := s.all("left")
		s.sweep()
		s.restore(*last.BackupArn, name)
		// A restore is also continued by the next process.
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
		if engine, err = dynamolite.Open(dynamolite.Options{Path: path}); err != nil {
			t.Fatal(err)
		}
		s = serve(t, engine)
		s.await(func() bool {
			return must(s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}))(t).Table.TableStatus == types.TableStatusActive
		})
		if got := s.all(name); !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: the restored table has %d items, want the %d from the start of the backup", round, len(got), len(want))
		}
		s.intact()
		want = current
		if err := engine.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedBackupIsNotRestored damages an item of a backup in the file. The restore fails and its table disappears.
func TestDamagedBackupIsNotRestored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	s.table("left", "id:S", "")
	s.fill("left", 10, 100)
	s.put("left", item("id", "marked", "text", "before the damage"))
	arn := s.backup("left", "backup")
	s.sweep()
	s.remove("left", item("id", "marked"))
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	content := must(os.ReadFile(path))(t)
	damaged := bytes.ReplaceAll(content, []byte("before the damage"), []byte("behind the damage"))
	if bytes.Equal(damaged, content) {
		t.Fatal("the file does not contain the item of the backup")
	}
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, dynamolite.Options{Path: path, SweepInterval: -1})
	problems := 0
	if _, err := s.engine.Check(func(problem string) {
		problems++
		if !strings.Contains(problem, "checksum") {
			t.Errorf("Check found %q, want a checksum", problem)
		}
	}); err != nil || problems == 0 {
		t.Errorf("Check: got %d problems, error %v, want a problem", problems, err)
	}
	s.restore(arn, "right")
	if err := s.engine.Sweep(context.Background()); !errors.Is(err, dynamolite.ErrDamaged) {
		t.Errorf("Sweep: got %v, want %v", err, dynamolite.ErrDamaged)
	}
	_, err = s.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String("right")})
	wantError(t, err, "ResourceNotFoundException")
	if got := s.all("left"); len(got) != 10 {
		t.Errorf("the table has %d items, want 10", len(got))
	}
}

// TestBackupOfADamagedTableDisappears damages an item of a table in the file.
func TestBackupOfADamagedTableDisappears(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	engine, err := dynamolite.Open(dynamolite.Options{Path: path, SweepInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, engine)
	s.table("left", "id:S", "")
	s.put("left", item("id", "marked", "text", "before the damage"))
	s.put("left", item("id", "other"))
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	content := must(os.ReadFile(path))(t)
	if err := os.WriteFile(path, bytes.ReplaceAll(content, []byte("before the damage"), []byte("behind the damage")), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, dynamolite.Options{Path: path, SweepInterval: -1})
	arn := s.backup("left", "backup")
	if err := s.engine.Sweep(context.Background()); !errors.Is(err, dynamolite.ErrDamaged) {
		t.Errorf("Sweep: got %v, want %v", err, dynamolite.ErrDamaged)
	}
	_, err = s.DescribeBackup(t.Context(), &dynamodb.DescribeBackupInput{BackupArn: &arn})
	wantError(t, err, "BackupNotFoundException")
	s.put("left", item("id", "other", "text", "still writable"))
	must(s.DeleteTable(t.Context(), &dynamodb.DeleteTableInput{TableName: aws.String("left")}))(t)
}
