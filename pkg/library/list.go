package library

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// DefaultLimit is the page size if Listing.Limit is 0.
const DefaultLimit = 100

// Listing selects a page of a list, newest first. Lists are read from indexes, which are eventually
// consistent.
type Listing struct {
	Limit  int32  // maximum entries on the page; DefaultLimit if 0
	Cursor string // NextCursor of the previous page; empty for the first
	// Type, Status and Name filter the nodes; empty for all. A filtered page may have fewer nodes than Limit, or none,
	// and still have a NextCursor.
	Type   Kind
	Status lifecycle.State
	Name   string
}

// NodePage is a page of nodes. NextCursor is empty on the last page.
type NodePage struct {
	Nodes      []Node
	NextCursor string
}

// FilePage is a page of files. NextCursor is empty on the last page.
type FilePage struct {
	Files      []File
	NextCursor string
}

// Children lists the nodes in a folder. Like all lists, it returns table.ErrCursor for a cursor of another list.
func (s *Store) Children(ctx context.Context, folderID string, l Listing) (NodePage, error) {
	return s.listNodes(ctx, nodesByParent, folderID, l)
}

// TrashList lists the nodes that an owner has put into the trash.
func (s *Store) TrashList(ctx context.Context, owner string, l Listing) (NodePage, error) {
	return s.Children(ctx, trashOf(owner), l)
}

// ByType lists an owner's nodes of one type, including those in trashed folders; see Visible.
func (s *Store) ByType(ctx context.Context, kind Kind, owner string, l Listing) (NodePage, error) {
	return s.listNodes(ctx, nodesByType, typeOwned(kind, owner), l)
}

func (s *Store) listNodes(ctx context.Context, by index, value string, l Listing) (NodePage, error) {
	items, next, err := s.query(ctx, s.nodes, idName, by, value, l)
	if err != nil {
		return NodePage{}, err
	}
	page := NodePage{NextCursor: next}
	return page, wrapped("list", attributevalue.UnmarshalListOfMaps(items, &page.Nodes))
}

// FilesByParent lists the files of a folder, for operators.
func (s *Store) FilesByParent(ctx context.Context, parentID string, l Listing) (FilePage, error) {
	return s.listFiles(ctx, filesByParent, parentID, l)
}

// FilesByOwner lists all files of an owner, including those in trashed folders; see VisibleFiles.
func (s *Store) FilesByOwner(ctx context.Context, owner string, l Listing) (FilePage, error) {
	return s.listFiles(ctx, filesByOwner, owner, l)
}

// After returns the cursor of the page of FilesByOwner that begins after a file, which need not exist any more.
func (s *Store) After(f File) (cursor string, err error) {
	return partition(s.files, idName, filesByOwner, f.OwnedBy).After(table.Key{
		idName: table.Text(f.ID), ownedByName: table.Text(f.OwnedBy), createdName: table.Text(f.CreatedAt),
	})
}

// FilesByBlob lists the file of a blob, for operators.
func (s *Store) FilesByBlob(ctx context.Context, blobID string, l Listing) (FilePage, error) {
	return s.listFiles(ctx, filesByBlob, blobID, l)
}

// listFiles lists the ids in an index and reads their files with strongly consistent reads.
func (s *Store) listFiles(ctx context.Context, by index, value string, l Listing) (FilePage, error) {
	l.Type, l.Status, l.Name = "", "", "" // the index does not contain them
	items, next, err := s.query(ctx, s.files, idName, by, value, l)
	if err != nil {
		return FilePage{}, err
	}
	var ids []string
	for _, item := range items {
		ids = append(ids, table.TextOf(item[idName]))
	}
	found, err := s.Files(ctx, ids)
	if err != nil {
		return FilePage{}, err
	}
	page := FilePage{NextCursor: next}
	for _, id := range ids {
		if f, exists := found[id]; exists {
			page.Files = append(page.Files, f)
		}
	}
	return page, nil
}

// query reads a page of an index. name is the table and id its partition key.
func (s *Store) query(ctx context.Context, name, id string, by index, value string, l Listing) (items []table.Key, next string, err error) {
	list := partition(name, id, by, value)
	list.Filter = l.filter()
	list.Sparse = list.Filter != nil
	return list.Page(ctx, s.db, cmp.Or(l.Limit, DefaultLimit), l.Cursor)
}

// partition returns the list of the items with a value in an index. name is the table and id its partition key.
func partition(name, id string, by index, value string) table.Partition {
	list := table.Partition{Table: name, Index: by.name, Hash: by.hash, Value: value, Keys: []string{id, by.hash}}
	if by.sort != "" {
		list.Keys = append(list.Keys, by.sort)
	}
	return list
}

// filter returns the condition on the nodes of a list, or nil.
func (l Listing) filter() *expression.ConditionBuilder {
	var all *expression.ConditionBuilder
	for _, f := range []struct{ attribute, value string }{{typeName, string(l.Type)}, {statusName, string(l.Status)}, {nodeName, l.Name}} {
		if f.value == "" {
			continue
		}
		one := expression.Name(f.attribute).Equal(expression.Value(f.value))
		if all != nil {
			one = all.And(one)
		}
		all = &one
	}
	return all
}

// nameTaken reports whether another node has the name and the folder of a node. It reads the list of the folder, which is
// eventually consistent, so that concurrent writes can create a second node with the name.
func (s *Store) nameTaken(ctx context.Context, n Node) (bool, error) {
	l := Listing{Limit: 1000, Name: n.Name}
	for {
		page, err := s.Children(ctx, n.ParentID, l)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(page.Nodes, func(other Node) bool { return other.ID != n.ID }) {
			return true, nil
		}
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			return false, nil
		}
	}
}

// Visible returns the nodes that are neither in the trash nor below a trashed folder. It reads the path of each parent
// folder once, with strongly consistent reads.
func (s *Store) Visible(ctx context.Context, nodes []Node) ([]Node, error) {
	hides := s.hidden()
	var visible []Node
	for _, n := range nodes {
		gone := n.IsDeleted
		if n.Type != KindUser && !gone {
			var err error
			if gone, err = hides(ctx, n.ParentID); err != nil {
				return nil, err
			}
		}
		if !gone {
			visible = append(visible, n)
		}
	}
	return visible, nil
}

// VisibleFiles is like Visible, for files.
func (s *Store) VisibleFiles(ctx context.Context, files []File) ([]File, error) {
	hides := s.hidden()
	var visible []File
	for _, f := range files {
		if f.IsDeleted {
			continue
		}
		gone, err := hides(ctx, f.ParentID)
		if err != nil {
			return nil, err
		}
		if !gone {
			visible = append(visible, f)
		}
	}
	return visible, nil
}

// hidden returns a function that reports whether a folder is missing, in the trash, or below a trashed folder. It reads the
// path of each folder once.
func (s *Store) hidden() func(ctx context.Context, folderID string) (bool, error) {
	known := map[string]bool{}
	return func(ctx context.Context, folderID string) (bool, error) {
		gone, read := known[folderID]
		if read {
			return gone, nil
		}
		path, err := s.Path(ctx, folderID)
		if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
			return false, err
		}
		gone = err != nil || path.Trashed()
		known[folderID] = gone
		return gone, nil
	}
}

// height returns the height of the tree of folders below a folder. It lists all folders of the owner with eventually
// consistent reads: exceeding MaxDepth by a few levels is safe.
func (s *Store) height(ctx context.Context, folder Node) (int, error) {
	below := map[string][]string{}
	l := Listing{Limit: 1000}
	for {
		page, err := s.ByType(ctx, KindFolder, folder.OwnedBy, l)
		if err != nil {
			return 0, err
		}
		for _, n := range page.Nodes {
			below[n.ParentID] = append(below[n.ParentID], n.ID)
		}
		if l.Cursor = page.NextCursor; l.Cursor == "" {
			break
		}
	}
	level, height := below[folder.ID], 0
	for len(level) > 0 && height < maxPath {
		var next []string
		for _, id := range level {
			next = append(next, below[id]...)
		}
		level = next
		height++
	}
	return height, nil
}
