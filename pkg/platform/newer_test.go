package platform_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// document is a document of this version.
type document struct {
	Name  string    `json:"name"`
	Note  string    `json:"note,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Inner inner     `json:"inner"`
	Parts []inner   `json:"parts,omitempty"`
}

type inner struct {
	Size int `json:"size"`
}

// newerJSON is the document as a newer version has written it.
const newerJSON = `{"name":"a","note":"old","at":"2026-11-20T12:00:00Z","inner":{"size":1,"unit":"km"},"color":"red","parts":[{"size":3,"unit":"m"}]}`

// start returns a store and the client of its table.
func start(t *testing.T) (*platform.Store, *dynamodb.Client, string) {
	t.Helper()
	db, _ := tabletest.Start(t)
	cfg := platform.Config{Table: "assay-platform"}
	if err := table.EnsureAll(t.Context(), db, platform.Storage(cfg).Tables); err != nil {
		t.Fatal(err)
	}
	return platform.NewStore(db, cfg), db, cfg.Table
}

// TestUnknownFieldsAreKept checks that a change by this version keeps attributes and JSON fields that a newer version has
// added to a document, and removes a field that it knows and omits.
func TestUnknownFieldsAreKept(t *testing.T) {
	s, db, name := start(t)
	row := platform.Key("kind", "a")
	row["version"], row["document"], row["owner"], row[platform.ExpiresAt] = table.Integer(4), table.Text(newerJSON), table.Text("ann"), table.Integer(4e9)
	if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: row}); err != nil {
		t.Fatal(err)
	}
	read, err := s.Get(t.Context(), "kind", "a")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal([]byte(read.Body), &d); err != nil {
		t.Fatal(err)
	}
	d.Note, d.Inner.Size, d.Parts = "", 2, []inner{{4}}
	if err := s.PutJSON(t.Context(), "kind", "a", read.Version, d); err != nil {
		t.Fatal(err)
	}
	if err := s.PutJSON(t.Context(), "kind", "a", read.Version, d); !errors.Is(err, platform.ErrChanged) {
		t.Errorf("a second write of the same version: got error %v, want ErrChanged", err)
	}
	if err := s.PutJSON(t.Context(), "kind", "missing", 3, d); !errors.Is(err, platform.ErrChanged) {
		t.Errorf("a version of a missing document: got error %v, want ErrChanged", err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: platform.Key("kind", "a"), ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(out.Item["owner"], row["owner"]) || !reflect.DeepEqual(out.Item["version"], table.Integer(5)) || !reflect.DeepEqual(out.Item[platform.ExpiresAt], row[platform.ExpiresAt]) {
		t.Errorf("the row is %v, want version 5 with the owner and the expiry", out.Item)
	}
	if read, err = s.Get(t.Context(), "kind", "a"); err != nil {
		t.Fatal(err)
	}
	const want = `{"name":"a","at":"2026-11-20T12:00:00Z","inner":{"size":2,"unit":"km"},"color":"red","parts":[{"size":4}]}`
	if !sameJSON(t, read.Body, want) {
		t.Errorf("got %s, want %s", read.Body, want)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// TestRowsOfNewerFormatsAreLeft checks that this version neither reads, lists, replaces nor deletes a document of a newer
// format, and that it writes the format of a document.
func TestRowsOfNewerFormatsAreLeft(t *testing.T) {
	s, db, name := start(t)
	newer := platform.Document{Name: "a", Body: "{}", Format: platform.Format + 1}
	if err := s.Put(t.Context(), "kind", newer); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "kind", platform.Document{Name: "b", Body: "{}"}); err != nil {
		t.Fatal(err)
	}
	_, err := s.Get(t.Context(), "kind", "a")
	status, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err)
	if !errors.Is(err, platform.ErrNewer) || !ok || status.HTTPStatusCode() != 503 {
		t.Errorf("Get: got error %v, want ErrNewer with status 503", err)
	}
	if all, err := s.List(t.Context(), "kind"); err != nil || len(all) != 1 || all[0].Name != "b" {
		t.Errorf("List: got %+v, error %v, want b only", all, err)
	}
	if err := s.Set(t.Context(), "kind", platform.Document{Name: "a"}); !errors.Is(err, platform.ErrNewer) {
		t.Errorf("Set: got error %v, want ErrNewer", err)
	}
	if err := s.Put(t.Context(), "kind", platform.Document{Name: "a"}); !errors.Is(err, platform.ErrChanged) {
		t.Errorf("Put of a new document: got error %v, want ErrChanged", err)
	}
	if err := s.PutJSON(t.Context(), "kind", "a", 1, document{}); !errors.Is(err, platform.ErrNewer) {
		t.Errorf("PutJSON: got error %v, want ErrNewer", err)
	}
	if err := s.Delete(t.Context(), "kind", "a"); !errors.Is(err, platform.ErrNewer) {
		t.Errorf("Delete: got error %v, want ErrNewer", err)
	}
	out, err := db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: platform.Key("kind", "a")})
	if err != nil || !reflect.DeepEqual(out.Item[platform.FormatVersion], table.Integer(2)) {
		t.Errorf("the row is %v, error %v, want it unchanged", out, err)
	}
	if n, err := s.Newer(t.Context()); err != nil || n != 1 {
		t.Errorf("Newer: got %d, error %v, want 1", n, err)
	}
	for _, of := range []string{"b", "missing"} {
		if err := errors.Join(s.Set(t.Context(), "kind", platform.Document{Name: of}), s.Delete(t.Context(), "kind", of)); err != nil {
			t.Errorf("%s: %v", of, err)
		}
	}
}
