package app

import (
	"path/filepath"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestOperations proves the promises of the operator pages.
func TestOperations(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir()).System
	b := Start(t)
	owner := system.NewOwner()
	upload(t, s, owner, "words.txt", "one two three")
	damaged := upload(t, s, owner, "damaged.txt", "\x00\x01\x02\x03\xff\xfe\x00 not text \x00\x00\x07\x08")
	system.Await(t, s.Client(t, owner), damaged.FileID)
	lost, _ := system.FailWithoutBytes(t, s, owner, "<b>lost</b>.txt", "one two")
	system.DeadLetters(t, system.OperatorClient(t, s.Operator), lost.FileID, 1)
	if _, err := system.OperatorClient(t, s.Operator).StartBackup(t.Context(), client.BackupRequest{To: filepath.Join(t.TempDir(), "backups")}); err != nil {
		t.Fatal(err)
	}
	p := b.Open(t, s.Operator, "/operations")
	p.See(t, ".numbers div", "Dead letters1")
	p.See(t, "h2.section", "Last backup")
	p.See(t, "section .numbers div", "Duration")
	p.See(t, ".row", "Text files")
	p.See(t, ".spark", "1 completed and 2 failed in the last hour")
	p.See(t, ".row:has(.badge.good)", "DynamoDB")
	p.State(t, "operations-overview")

	p.Click(t, ".numbers a", "1")
	p.See(t, ".row .name", "no longer exists")
	p.See(t, ".row", "<b>lost</b>.txt")
	p.See(t, ".row", "Data missing")
	p.State(t, "operations-dead")
	p.Click(t, ".row .name", "no longer exists")
	p.See(t, ".facts", "/v1/files/"+lost.FileID)
	p.See(t, ".payload", "<b>lost</b>.txt")
	p.State(t, "operations-dead-letter")
	p.Go(t, "/operations/dead?reason=nothing")
	p.See(t, ".empty h2", "No dead letters match")
	p.Click(t, ".empty button", "Show all")
	p.Click(t, ".page-head button", "Delete all")
	p.See(t, "dialog p", "1 dead letter")
	p.State(t, "operations-dead-dry-run")
	p.Click(t, "dialog button", "Delete 1")
	p.See(t, "dialog .notice", "1 deleted, 0 skipped, 0 failed")
	p.Click(t, "dialog button", "Close")
	p.See(t, ".empty h2", "No dead letters")

	again, reserved := system.FailWithoutBytes(t, s, owner, "late.txt", "one two")
	system.DeadLetters(t, system.OperatorClient(t, s.Operator), again.FileID, 1)
	system.Put(t, reserved.Upload, "one two", nil)
	p.Go(t, "/operations/dead?class=missing")
	p.Click(t, ".row .name", "no longer exists")
	p.Click(t, ".page-head button", "Replay")
	p.See(t, ".empty h2", "No dead letters")
	system.CheckResult(t, system.Await(t, s.Client(t, owner), again.FileID), system.Count("one two"))

	p.Go(t, "/operations/sweeps")
	p.Click(t, ".page-head button", "Dry run")
	p.See(t, ".notice", "Dry run:")
	p.See(t, ".row", "Text files")
	p.Click(t, ".choice button", "Feed")
	p.See(t, ".empty h2", "No findings")
	p.State(t, "operations-sweeps")
	p.Go(t, "/operations/providers")
	p.Click(t, ".provider button", "Enable")
	p.See(t, "dialog p", "cost money")
	p.State(t, "operations-providers")
}
