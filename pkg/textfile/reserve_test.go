package textfile

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/lifecycle"
)

func TestTableMatchesSeed(t *testing.T) {
	d := open(t)
	out, err := d.db.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &d.table})
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]types.KeyType{}
	for _, part := range out.Table.KeySchema {
		keys[*part.AttributeName] = part.KeyType
	}
	if len(keys) != 2 || keys["PK"] != types.KeyTypeHash || keys["SK"] != types.KeyTypeRange {
		t.Errorf("got keys %v, want PK and SK", keys)
	}
	for _, attribute := range out.Table.AttributeDefinitions {
		if attribute.AttributeType != types.ScalarAttributeTypeS {
			t.Errorf("%s: got type %s, want %s", *attribute.AttributeName, attribute.AttributeType, types.ScalarAttributeTypeS)
		}
	}
	if n := len(out.Table.GlobalSecondaryIndexes) + len(out.Table.LocalSecondaryIndexes); n != 0 {
		t.Errorf("got %d indexes, want 0", n)
	}
	tables, err := d.db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil || len(tables.TableNames) != 1 || tables.TableNames[0] != "text-analyzer-history" {
		t.Errorf("got tables %v, error %v, want text-analyzer-history only", tables, err)
	}
	if err := d.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// f1 is the reservation that seedItems describes.
var f1 = File{FileID: "f1", OwnerID: "ann", S3Bucket: "assay-files", S3Key: "files/f1/u1", FileName: "a/b #1%.txt"}

func TestReserveWritesSeedAttributes(t *testing.T) {
	d := open(t)
	d.now = func() time.Time { return time.UnixMilli(1795175000000) }
	given := f1
	// Reserve ignores these values.
	given.Status, given.CreatedAt, given.UpdatedAt = Completed, 1, 2
	f := d.next(d.Reserve(t.Context(), given))
	if f.Status != Pending || !f.Created().Equal(d.now()) || !f.Updated().Equal(d.now()) {
		t.Errorf("got %+v, want a PENDING file with the current time", f)
	}
	d.expect(seedItems(Pending, 1795175000000))
}

func TestReserveTwiceChangesNothing(t *testing.T) {
	d := open(t)
	d.file(InProgress)
	if _, err := d.Reserve(t.Context(), f1); !errors.Is(err, lifecycle.ErrExists) {
		t.Errorf("got error %v, want lifecycle.ErrExists", err)
	}
	// The same id is rejected for another owner too.
	other := f1
	other.OwnerID = "bob"
	if _, err := d.Reserve(t.Context(), other); !errors.Is(err, lifecycle.ErrExists) {
		t.Errorf("got error %v, want lifecycle.ErrExists", err)
	}
	d.expect(seedItems(InProgress, 1795175500000))
	if got := d.row(historyKey("bob", "f1")); got != nil {
		t.Errorf("got history item %v of another owner, want none", got)
	}
}

func TestReserveIsAtomic(t *testing.T) {
	d := open(t)
	d.faults.Add(dynamolite.Fault{Kind: dynamolite.ErrorBefore, Operation: "TransactWriteItems"})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := d.Reserve(ctx, f1); err == nil || errors.Is(err, lifecycle.ErrExists) {
		t.Errorf("got error %v, want one other than lifecycle.ErrExists", err)
	}
	d.expect(nil, nil)
}

func TestNamesAreStoredAsGiven(t *testing.T) {
	d := open(t)
	for _, name := range []string{
		"a/b.txt", "/", "..", "../../etc/passwd", ".", "100%", "%2F", "#1.txt", "FILE#x", "a#b#c", "🙂.txt", "e\u0301.txt", "é.txt",
		"\u202egpj.exe", "\u200f\u05d0.txt", " lead and trail ", "tab\there", `quo"te's`, "a\\b", "\x00", "null", "PK",
		strings.Repeat("x", 255), strings.Repeat("é", 127) + "x", strings.Repeat("🙂", 63) + "xyz",
	} {
		id, err := NewFileID()
		if err != nil {
			t.Fatal(err)
		}
		d.next(d.Reserve(t.Context(), File{FileID: id, OwnerID: "names", S3Bucket: "b", S3Key: Reservation{FileName: name}.ObjectKey(id), FileName: name}))
		f := d.next(d.Get(t.Context(), id))
		if f.FileName != name || f.View().FileName != name {
			t.Errorf("got file name %q, want %q", f.FileName, name)
		}
		page, err := d.List(t.Context(), Listing{OwnerID: "names", Limit: 1})
		if err != nil || len(page.Files) != 1 || page.Files[0].FileName != name {
			t.Errorf("got list %+v, error %v, want file name %q", page.Files, err, name)
		}
		if got, _, err := ParseObjectKey(f.S3Key); err != nil || got != id {
			t.Errorf("%q: ParseObjectKey(%q) = %q, %v, want %q", name, f.S3Key, got, err, id)
		}
		f = d.next(d.Claim(t.Context(), f))
		d.next(d.Fail(t.Context(), f, "about "+name))
		if got := d.row(historyKey("names", id)); got["originalFileName"] != name || got["errorMessage"] != "about "+name {
			t.Errorf("%q: got history item %v, want that name and its error message", name, got)
		}
	}
}

// Clients choose owner ids, so these can contain any character.
func TestOwnersAreSeparate(t *testing.T) {
	d := open(t)
	owners := []string{"a", "a#FILE#x", "OWNER#a", "a/b", "a ", "A", "é", "e\u0301"}
	for i, owner := range owners {
		d.next(d.Reserve(t.Context(), File{FileID: string(rune('a' + i)), OwnerID: owner, FileName: owner}))
	}
	for _, owner := range owners {
		page, err := d.List(t.Context(), Listing{OwnerID: owner, Limit: 10})
		if err != nil || len(page.Files) != 1 || page.Files[0].FileName != owner {
			t.Errorf("%q: got %+v, error %v, want only that owner's file", owner, page.Files, err)
		}
	}
}

func TestView(t *testing.T) {
	d := open(t)
	v := d.file(Completed).View()
	if v.FileID != "f1" || v.OwnerID != "ann" || v.Status != "COMPLETED" || v.ErrorMessage != "" || v.Result == nil || v.Result.TotalWords != 1200 ||
		v.CreatedAt.Format(time.RFC3339Nano) != "2026-11-20T11:43:20Z" || v.UpdatedAt.Format(time.RFC3339Nano) != "2026-11-20T11:51:40Z" {
		t.Errorf("got %+v, want f1 of ann, COMPLETED with 1200 words", v)
	}
	if v := d.file(Failed).View(); v.ErrorMessage != "it is a PDF" || v.Result != nil {
		t.Errorf("got %+v, want an error message and no result", v)
	}
}
