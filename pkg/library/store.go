package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Store reads and writes the tree, the files and their workflows. It is safe for concurrent use.
type Store struct {
	db                      *dynamodb.Client
	nodes, files, workflows string
	now                     func() time.Time
}

// NewStore returns a store on the tables of cfg.
func NewStore(db *dynamodb.Client, cfg Config) *Store {
	return &Store{db: db, nodes: cfg.NodesTable(), files: cfg.FilesTable(), workflows: cfg.WorkflowsTable(), now: time.Now}
}

// Check returns an error if the tables cannot be used. It is called by readiness checks.
func (s *Store) Check(ctx context.Context) error {
	for _, name := range []string{s.nodes, s.files, s.workflows} {
		if err := table.Check(ctx, s.db, name); err != nil {
			return err
		}
	}
	return nil
}

// Get reads a node in any folder or in the trash, with a strongly consistent read. It returns lifecycle.ErrNotFound
// if there is none.
func (s *Store) Get(ctx context.Context, id string) (Node, error) {
	var n Node
	return n, s.read(ctx, s.nodes, key(id), &n)
}

// File reads a file with a strongly consistent read. It returns lifecycle.ErrNotFound if there is none.
func (s *Store) File(ctx context.Context, id string) (File, error) {
	var f File
	return f, s.read(ctx, s.files, key(id), &f)
}

func (s *Store) read(ctx context.Context, name string, key table.Key, into any) error {
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &name, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if out.Item == nil {
		return lifecycle.ErrNotFound
	}
	if err := attributevalue.UnmarshalMap(out.Item, into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

// Root returns the root of an owner. It has version 0 until the owner's first write stores it.
func (s *Store) Root(ctx context.Context, owner string) (Node, error) {
	root, err := s.Get(ctx, RootID(owner))
	if errors.Is(err, lifecycle.ErrNotFound) {
		return virtualRoot(owner), nil
	}
	return root, err
}

func virtualRoot(owner string) Node {
	return Node{
		ID: RootID(owner), Type: KindUser, TypeOwnedBy: typeOwned(KindUser, owner), Status: Created,
		OwnedBy: owner, CreatedBy: owner, UpdatedBy: owner,
	}
}

func typeOwned(kind Kind, owner string) string { return string(kind) + "#" + owner }

// Path is a node followed by its ancestors, up to the root or the node that was put into the trash.
type Path []Node

// Node returns the node at the start of the path.
func (p Path) Node() Node { return p[0] }

// Trashed reports whether the node, or a folder above it, is in the trash or is being erased.
func (p Path) Trashed() bool { return p[len(p)-1].Type != KindUser }

// Ended reports whether the node is anything other than a file that is still being processed.
func (p Path) Ended() bool { return !p[0].IsFile() || Machine().IsFinal(p[0].Status) }

// contains reports whether a node is on the path.
func (p Path) contains(id string) bool {
	for _, n := range p {
		if n.ID == id {
			return true
		}
	}
	return false
}

const (
	// MaxDepth is the maximum number of ancestors of a node that is created or moved, including the root.
	MaxDepth = 32
	// maxPath bounds the reads of a path. Concurrent moves may exceed MaxDepth.
	maxPath = 4 * MaxDepth
)

// top reports whether a path ends with the node because it is a root, was itself moved to the trash, or is being
// erased.
func (n Node) top() bool {
	return n.Type == KindUser || strings.HasPrefix(n.ParentID, trashPrefix) || n.Erasing()
}

// Path reads a node and its ancestors sequentially, with strongly consistent reads. It returns lifecycle.ErrNotFound
// if one of them is missing.
func (s *Store) Path(ctx context.Context, id string) (Path, error) {
	var path Path
	for len(path) < maxPath {
		n, err := s.Get(ctx, id)
		if err != nil {
			return nil, err
		}
		path = append(path, n)
		if n.top() {
			return path, nil
		}
		id = n.ParentID
	}
	return nil, fmt.Errorf("read the path of %s: %w", path[0].ID, ErrTooDeep)
}

// parent reads the path of the folder in which a node of an owner is created, or to which it is moved. An empty id
// is the owner's root, which is stored if necessary.
func (s *Store) parent(ctx context.Context, owner, id string) (Path, error) {
	if id == "" || id == RootID(owner) {
		root, err := s.ensureRoot(ctx, owner)
		return Path{root}, err
	}
	path, err := s.Path(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case path[0].OwnedBy != owner:
		return nil, ErrOwner
	case !path[0].IsFolder():
		return nil, ErrNotFolder
	case path.Trashed():
		return nil, ErrTrashed
	case len(path) > MaxDepth:
		return nil, ErrTooDeep
	}
	return path, nil
}
