package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/services/assay/setup"
)

// libraryReader reads the folders and files of the library. The result of each is its status and its
// path, such as "Processed /Reports/a.txt" or "Created trash/Reports", followed by " public" if it is
// public. If cfg names no nodes table, nothing is read.
type libraryReader struct {
	cfg    library.Config
	stores *backend.Connections
}

func libraryNodes(cfg setup.Config, stores *backend.Connections) reader {
	return reader{read: libraryReader{cfg.Library, stores}.read}
}

// tree is the content of the library, by id.
type tree struct {
	nodes     map[string]library.Node
	files     map[string]library.File
	workflows map[string]library.Workflow
	objects   map[string]map[string]bool // keys, by file id
}

func (r libraryReader) read(ctx context.Context) (map[string]*held, error) {
	if r.cfg == (library.Config{}) {
		return map[string]*held{}, nil
	}
	// The objects are read last: otherwise the object of a file that is created meanwhile would appear
	// to be an orphan, which can resolve by itself, and the object of a file that ends meanwhile would
	// appear to be missing, which cannot.
	t := tree{objects: map[string]map[string]bool{}}
	var err error
	t.workflows, err = rows(ctx, r.stores, r.cfg.WorkflowsTable(), func(w library.Workflow) string { return w.CorrelationID })
	if err != nil {
		return nil, err
	}
	if t.files, err = rows(ctx, r.stores, r.cfg.FilesTable(), func(f library.File) string { return f.ID }); err != nil {
		return nil, err
	}
	if t.nodes, err = rows(ctx, r.stores, r.cfg.NodesTable(), func(n library.Node) string { return n.ID }); err != nil {
		return nil, err
	}
	found, err := keys(ctx, r.stores.Bucket, library.ObjectPrefix)
	if err != nil {
		return nil, err
	}
	for key := range found {
		id, _, err := library.ParseKey(key)
		if err != nil {
			return nil, err
		}
		if t.objects[id] == nil {
			t.objects[id] = map[string]bool{}
		}
		t.objects[id][key] = true
	}
	return t.items(), nil
}

// rows returns the items of a table, by id.
func rows[T any](ctx context.Context, stores *backend.Connections, table string, id func(T) string) (map[string]T, error) {
	all := map[string]T{}
	err := scan(ctx, stores.DB, table, func(attributes map[string]types.AttributeValue) error {
		var one T
		if err := attributevalue.UnmarshalMap(attributes, &one); err != nil {
			return fmt.Errorf("parse an item of %s: %w", table, err)
		}
		all[id(one)] = one
		return nil
	})
	return all, err
}

func (t tree) items() map[string]*held {
	items := map[string]*held{}
	stuck := func(id, says string) {
		if items[id] == nil {
			items[id] = &held{}
		}
		items[id].stuck = append(items[id].stuck, says)
	}
	for id, n := range t.nodes {
		switch path, err := t.path(n); {
		case n.Erasing():
			stuck(id, "it is being erased")
		case err != nil:
			stuck(id, err.Error())
		case n.Type == library.KindFolder:
			items[id] = &held{exists: true, state: n.Status, final: true, ended: n.Updated(), result: described(n, path), bytes: true, silent: true}
		case n.IsFile():
			items[id] = t.file(n, path)
		}
	}
	for id, f := range t.files {
		if _, there := t.nodes[id]; !there && !f.Erasing() {
			stuck(id, "its file exists, but its node does not")
		}
	}
	for id, w := range t.workflows {
		switch _, there := t.files[w.FileID]; {
		case w.WorkflowType == library.EraseWorkflow && !w.Final():
			stuck(w.FileID, "its erasure has not ended")
		case w.WorkflowType != library.EraseWorkflow && !there:
			stuck(id, "its workflow exists, but the file does not")
		}
	}
	for id := range t.objects {
		if _, there := t.files[id]; !there {
			stuck(id, "its bytes exist, but the item does not")
		}
	}
	return items
}

// described returns the result of a node, in the form that libraryReader documents.
func described(n library.Node, path string) string {
	text := string(n.Status) + " " + path
	if n.Permissions.IsPublic {
		text += " public"
	}
	return text
}

// path returns the path of a node, from the root or from the trash.
func (t tree) path(n library.Node) (string, error) {
	names := ""
	for range 4 * library.MaxDepth {
		if n.Type == library.KindUser {
			return names, nil
		}
		names = "/" + n.Name + names
		if n.Erasing() {
			return "", errors.New("a folder above it is being erased")
		}
		if n.IsDeleted {
			return "trash" + names, nil
		}
		above, there := t.nodes[n.ParentID]
		if !there {
			return "", errors.New("a folder above it does not exist")
		}
		n = above
	}
	return "", errors.New("it is its own ancestor")
}

// file describes what is stored for a file. Its findings include rows that differ and objects that are
// missing or unused.
func (t tree) file(n library.Node, path string) *held {
	f, there := t.files[n.ID]
	if !there {
		return &held{stuck: []string{"its node exists, but its file does not"}}
	}
	w, objects := t.workflows[n.ID], t.objects[n.ID]
	one := &held{
		exists: true, state: f.Status, final: f.Final(), failed: f.Status == library.Failed, ended: f.Updated(),
		result: described(n, path), bytes: objects[f.Key], reason: f.ErrorMessage,
	}
	if n.Status != f.Status || n.Run != f.Run || n.Name != f.Name || n.ParentID != f.ParentID || n.IsDeleted != f.IsDeleted || n.OwnedBy != f.OwnedBy {
		one.stuck = append(one.stuck, fmt.Sprintf("its node (%s in run %d) differs from its file (%s in run %d)", n.Status, n.Run, f.Status, f.Run))
	}
	if !one.final {
		return one
	}
	used := map[string]bool{f.Key: true}
	if w.CorrelationID != "" { // a file that failed before its workflow started has none
		one.ended = w.Updated()
		if w.Run != f.Run || !w.Final() {
			one.stuck = append(one.stuck, fmt.Sprintf("its workflow is %s in run %d", w.CurrentState, w.Run))
		}
	}
	for _, result := range w.StepResults {
		used[result.Key], used[result.MetadataKey] = true, true
	}
	for _, image := range f.Images {
		used[image.Key] = true
	}
	delete(used, "")
	for key := range used {
		if !objects[key] {
			one.lost = append(one.lost, "the object "+key+" is missing")
		}
	}
	for key := range objects {
		_, run, err := library.ParseKey(key)
		if !used[key] && (err != nil || run != f.Run) { // steps of the current run may store other objects
			one.stuck = append(one.stuck, "no row refers to the object "+key)
		}
	}
	return one
}

// stepItem returns the file id in the subject of a step, as published or as stored in a work stream.
func stepItem(subject string) (fileID string, ok bool) {
	_, step, ok := strings.Cut(subject, ".library.step.")
	if !ok {
		return "", false
	}
	fileID, _, ok = library.ParseStepSubject("assay.library.step." + step)
	return fileID, ok
}
