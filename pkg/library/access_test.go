package library

import (
	"context"
	"slices"
	"testing"
	"time"
)

// TestAccessPatterns makes a call for each access pattern of the table design, and checks that every index is
// used.
func TestAccessPatterns(t *testing.T) {
	r := open(t)
	folder := r.folder("docs", "")
	_, other := r.file("other.txt", "")
	n, f := r.file("a.txt", folder.ID)
	f, w, err := r.StoreUpload(t.Context(), f, Content{Type: "Generic", Length: 1, ETag: "e"}, PlanOf("Generic"))
	if err != nil {
		t.Fatal(err)
	}
	r.clock = r.clock.Add(time.Second)
	erased, err := r.Erase(t.Context(), other.ID, ann)
	if err != nil {
		t.Fatal(err)
	}
	nodes := func(page NodePage, err error) ([]string, error) {
		var ids []string
		for _, n := range page.Nodes {
			ids = append(ids, n.ID)
		}
		return ids, err
	}
	files := func(page FilePage, err error) ([]string, error) {
		var ids []string
		for _, f := range page.Files {
			ids = append(ids, f.ID)
		}
		return ids, err
	}
	workflows := func(found []Workflow, _ string, err error) ([]string, error) {
		var ids []string
		for _, w := range found {
			ids = append(ids, w.CorrelationID)
		}
		return ids, err
	}
	one := func(id string, err error) ([]string, error) { return []string{id}, err }
	patterns := []struct {
		table, index, pattern string
		call                  func(context.Context) ([]string, error)
		want                  []string
	}{
		{config.Nodes, "", "a node by its id", func(ctx context.Context) ([]string, error) {
			n, err := r.Get(ctx, n.ID)
			return one(n.ID, err)
		}, []string{n.ID}},
		{config.Nodes, nodesByParent.name, "the children of a folder, newest first", func(ctx context.Context) ([]string, error) { return nodes(r.Children(ctx, folder.ID, Listing{})) }, []string{n.ID}},
		{config.Nodes, nodesByType.name, "an owner's nodes of a type, newest first", func(ctx context.Context) ([]string, error) { return nodes(r.ByType(ctx, KindFolder, "ann", Listing{})) }, []string{folder.ID}},
		{config.Files, "", "a file by its id", func(ctx context.Context) ([]string, error) {
			f, err := r.File(ctx, f.ID)
			return one(f.ID, err)
		}, []string{f.ID}},
		{config.Files, filesByParent.name, "the files of a folder", func(ctx context.Context) ([]string, error) {
			return files(r.FilesByParent(ctx, folder.ID, Listing{}))
		}, []string{f.ID}},
		{config.Files, filesByOwner.name, "the files of an owner", func(ctx context.Context) ([]string, error) { return files(r.FilesByOwner(ctx, "ann", Listing{})) }, []string{f.ID, other.ID}},
		{config.Files, filesByBlob.name, "the file of a blob", func(ctx context.Context) ([]string, error) { return files(r.FilesByBlob(ctx, f.BlobID, Listing{})) }, []string{f.ID}},
		{config.Workflows, "", "a workflow by its correlation id", func(ctx context.Context) ([]string, error) {
			w, err := r.Workflow(ctx, w.CorrelationID)
			return one(w.CorrelationID, err)
		}, []string{f.ID}},
		{config.Workflows, workflowsByType.name, "the workflows of a type, newest first", func(ctx context.Context) ([]string, error) {
			return workflows(r.WorkflowsByType(ctx, EraseWorkflow, Listing{}))
		}, []string{erased.CorrelationID}},
	}
	covered := map[string]bool{}
	for _, p := range patterns {
		got, err := p.call(t.Context())
		slices.Sort(got)
		if slices.Sort(p.want); err != nil || !slices.Equal(got, p.want) {
			t.Errorf("%s: got %q, error %v, want %q", p.pattern, got, err, p.want)
		}
		covered[p.table+"/"+p.index] = true
	}
	indexes := 0
	for _, table := range Tables(config) {
		name := *table.Create.TableName
		for _, index := range table.Create.GlobalSecondaryIndexes {
			indexes++
			if !covered[name+"/"+*index.IndexName] {
				t.Errorf("%s/%s: got no pattern that reads the index, want one", name, *index.IndexName)
			}
		}
	}
	if indexes != 6 || len(patterns) != indexes+3 {
		t.Errorf("got %d patterns and %d indexes, want 9 and 6", len(patterns), indexes)
	}
}
