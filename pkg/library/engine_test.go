package library

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/dynamolite"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/pkg/table/tabletest"
)

// rig is a store on a new engine, with a clock that the test sets.
type rig struct {
	*Store
	t      *testing.T
	db     *dynamodb.Client
	faults *dynamolite.Faults
	clock  time.Time
	writes *writes
}

// writes records the write requests of a client.
type writes struct {
	http dynamodb.HTTPClient
	mu   sync.Mutex
	seen []string
	keys map[string]int // number of requests that contain an item's key, by item id
}

var itemKey = regexp.MustCompile(`"Key":\{"id":\{"S":"([^"]+)"`)

func (w *writes) Do(r *http.Request) (*http.Response, error) {
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if slices.Contains([]string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}, action) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		w.mu.Lock()
		w.seen = append(w.seen, action)
		for _, found := range itemKey.FindAllSubmatch(body, -1) {
			w.keys[string(found[1])]++
		}
		w.mu.Unlock()
	}
	return w.http.Do(r)
}

// taken returns the write requests since the last call.
func (w *writes) taken() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

var config = Config{Nodes: "leanda-ng-dev-nodes", Files: "leanda-ng-dev-files", Workflows: "leanda-ng-dev-workflow-state"}

func open(t *testing.T) *rig {
	t.Helper()
	db, faults := tabletest.Start(t)
	for range 2 { // a second call does nothing
		if err := table.EnsureAll(t.Context(), db, Tables(config)); err != nil {
			t.Fatal(err)
		}
	}
	r := &rig{t: t, faults: faults, clock: time.UnixMilli(1795175500000).UTC(), writes: &writes{keys: map[string]int{}}}
	r.db = dynamodb.New(db.Options(), func(o *dynamodb.Options) {
		r.writes.http = o.HTTPClient
		o.HTTPClient = r.writes
	})
	r.Store = NewStore(r.db, config)
	r.now = func() time.Time { return r.clock }
	return r
}

// unretried returns the store without the SDK's retries, so that a conflict is returned as an error.
func (r *rig) unretried() *Store {
	once := *r.Store
	once.db = dynamodb.New(r.db.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
	return &once
}

func (r *rig) id() string {
	r.t.Helper()
	id, err := NewID("ann", "")
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// folder creates a folder of ann; an empty parentID means her root.
func (r *rig) folder(name, parentID string) Node {
	r.t.Helper()
	n, err := r.CreateFolder(r.t.Context(), NewNode{ID: r.id(), Owner: "ann", ParentID: parentID, Name: name})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// newFile returns the description of a new file of ann.
func (r *rig) newFile(name, parentID string) NewFile {
	r.t.Helper()
	id := r.id()
	return NewFile{
		NewNode: NewNode{ID: id, Owner: "ann", ParentID: parentID, Name: name},
		Type:    "Generic", Bucket: "assay-files", Key: "library/" + id, BlobID: r.id(), Length: 5, ContentType: "text/plain",
	}
}

// file reserves a file of ann.
func (r *rig) file(name, parentID string) (Node, File) {
	r.t.Helper()
	n, f, err := r.Reserve(r.t.Context(), r.newFile(name, parentID))
	if err != nil {
		r.t.Fatal(err)
	}
	return n, f
}

func (r *rig) node(id string) Node {
	r.t.Helper()
	n, err := r.Get(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// stored returns the file as it is in the table.
func (r *rig) stored(id string) File {
	r.t.Helper()
	f, err := r.File(r.t.Context(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return f
}

func (r *rig) names(folderID string) []string {
	r.t.Helper()
	page, err := r.Children(r.t.Context(), folderID, Listing{})
	if err != nil {
		r.t.Fatal(err)
	}
	var names []string
	for _, n := range page.Nodes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return names
}

var ann = Edit{By: "ann"}
