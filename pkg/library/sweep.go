package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// ScanLimit is the maximum number of items on a page of a scan.
const ScanLimit = 100

// Scanned is a page of a table, unordered and eventually consistent. Reread items before changing them.
type Scanned[T any] struct {
	Items  []T
	Broken []Broken
	Next   string // cursor of the next page, empty on the last
}

// Broken is an item that cannot be decoded.
type Broken struct {
	ID  string
	Err error
}

// ScanNodes reads up to limit nodes. Like all scans, it returns table.ErrCursor for a cursor of another list.
func (s *Store) ScanNodes(ctx context.Context, cursor string, limit int32) (Scanned[Node], error) {
	return scan[Node](ctx, s, s.nodes, idName, cursor, limit)
}

// ScanFiles reads up to limit files.
func (s *Store) ScanFiles(ctx context.Context, cursor string, limit int32) (Scanned[File], error) {
	return scan[File](ctx, s, s.files, idName, cursor, limit)
}

// ScanWorkflows reads up to limit workflows.
func (s *Store) ScanWorkflows(ctx context.Context, cursor string, limit int32) (Scanned[Workflow], error) {
	return scan[Workflow](ctx, s, s.workflows, correlationIDName, cursor, limit)
}

func scan[T any](ctx context.Context, s *Store, name, keyName, cursor string, limit int32) (Scanned[T], error) {
	scope := "scan " + name
	start, err := table.ParseCursor(scope, cursor)
	if err != nil {
		return Scanned[T]{}, err
	}
	out, err := s.db.Scan(ctx, &dynamodb.ScanInput{TableName: &name, Limit: aws.Int32(min(limit, ScanLimit)), ExclusiveStartKey: start})
	if err != nil {
		return Scanned[T]{}, fmt.Errorf("scan: %w", err)
	}
	var page Scanned[T]
	for _, item := range out.Items {
		var one T
		if err := attributevalue.UnmarshalMap(item, &one); err != nil {
			page.Broken = append(page.Broken, Broken{ID: table.TextOf(item[keyName]), Err: err})
			continue
		}
		page.Items = append(page.Items, one)
	}
	page.Next, err = table.Cursor(scope, out.LastEvaluatedKey)
	return page, err
}

// WorkflowsByType lists the workflows of type FileWorkflow or EraseWorkflow, newest first, for operators.
func (s *Store) WorkflowsByType(ctx context.Context, workflowType string, l Listing) (workflows []Workflow, next string, err error) {
	l.Type, l.Status = "", "" // the index does not contain them
	items, next, err := s.query(ctx, s.workflows, correlationIDName, workflowsByType, workflowType, l)
	if err != nil {
		return nil, "", err
	}
	found := map[string]Workflow{}
	var ids []string
	for _, item := range items {
		ids = append(ids, table.TextOf(item[correlationIDName]))
	}
	err = s.readAll(ctx, s.workflows, correlationIDName, ids, func(id string, item map[string]table.Value) error {
		var w Workflow
		err := attributevalue.UnmarshalMap(item, &w)
		found[id] = w
		return err
	})
	for _, id := range ids {
		if w, exists := found[id]; exists {
			workflows = append(workflows, w)
		}
	}
	return workflows, next, err
}

// Pair is a file and its node; either is nil if it is missing.
type Pair struct {
	File *File
	Node *Node
}

func (p Pair) inconsistent() bool {
	if p.File == nil || p.Node == nil {
		return p.File != nil || p.Node != nil
	}
	f, n := p.File, p.Node
	return f.Status != n.Status || f.ParentID != n.ParentID || f.Name != n.Name || f.Run != n.Run || f.IsDeleted != n.IsDeleted || f.OwnedBy != n.OwnedBy
}

// Inconsistent returns the pairs with these ids whose file and node differ, or one of which is missing. It reads all
// pairs, and then confirms each difference by reading both items in one transaction.
func (s *Store) Inconsistent(ctx context.Context, ids []string) ([]Pair, error) {
	files, err := s.Files(ctx, ids)
	if err != nil {
		return nil, err
	}
	nodes, err := s.nodesOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	var found []Pair
	for _, id := range ids {
		var pair Pair
		if f, exists := files[id]; exists {
			pair.File = &f
		}
		if n, exists := nodes[id]; exists {
			pair.Node = &n
		}
		if !pair.inconsistent() {
			continue
		}
		if pair, err = s.pair(ctx, id); err != nil {
			return nil, err
		}
		if pair.inconsistent() {
			found = append(found, pair)
		}
	}
	return found, nil
}

func (s *Store) pair(ctx context.Context, id string) (Pair, error) {
	out, err := s.db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{
		{Get: &types.Get{TableName: &s.files, Key: key(id)}}, {Get: &types.Get{TableName: &s.nodes, Key: key(id)}},
	}})
	if err != nil {
		return Pair{}, fmt.Errorf("read the items of %s: %w", id, err)
	}
	var p Pair
	if item := out.Responses[0].Item; len(item) > 0 {
		p.File = &File{}
		err = attributevalue.UnmarshalMap(item, p.File)
	}
	if item := out.Responses[1].Item; len(item) > 0 {
		p.Node = &Node{}
		err = errors.Join(err, attributevalue.UnmarshalMap(item, p.Node))
	}
	return p, wrapped("read the items of "+id, err)
}

// Orphans returns the nodes whose parent does not exist, for example because of an upload into a folder that was being
// erased.
func (s *Store) Orphans(ctx context.Context, nodes []Node) ([]Node, error) {
	var parents []string
	checked := func(n Node) bool {
		return n.Type != KindUser && !n.IsDeleted && !strings.Contains(n.ParentID, "#") && n.ParentID != RootID(n.OwnedBy)
	}
	for _, n := range nodes {
		if checked(n) {
			parents = append(parents, n.ParentID)
		}
	}
	found, err := s.nodesOf(ctx, parents)
	if err != nil {
		return nil, err
	}
	var orphans []Node
	for _, n := range nodes {
		if _, exists := found[n.ParentID]; checked(n) && !exists {
			orphans = append(orphans, n)
		}
	}
	return orphans, nil
}

// WithoutFile returns the ids of the nodes that are files but have no row in the files table.
func (s *Store) WithoutFile(ctx context.Context, nodes []Node) ([]string, error) {
	var ids []string
	for _, n := range nodes {
		if n.IsFile() {
			ids = append(ids, n.ID)
		}
	}
	files, err := s.Files(ctx, ids)
	return slices.DeleteFunc(ids, func(id string) bool { _, exists := files[id]; return exists }), err
}

// Exist returns the set of those ids for which a node exists.
func (s *Store) Exist(ctx context.Context, ids []string) (map[string]bool, error) {
	nodes, err := s.nodesOf(ctx, ids)
	found := make(map[string]bool, len(nodes))
	for id := range nodes {
		found[id] = true
	}
	return found, err
}

// Postpone gives an overdue workflow a new deadline and counts the republishing of its open steps. It returns
// lifecycle.ErrCondition if the workflow was written since it was read.
func (s *Store) Postpone(ctx context.Context, w Workflow) error {
	item := s.ofWorkflow(w.CorrelationID, nil)
	item.Add["republished"] = table.Integer(1)
	item.Condition = expression.Name(versionName).Equal(expression.Value(w.Version))
	_, err := Machine().Apply(ctx, s.db, postpone, lifecycle.Write{Fence: runFence(w.Run, w.Run), Items: []lifecycle.Item{item}})
	return err
}

// Drop removes a workflow that has ended, or belongs to an earlier run. It returns lifecycle.ErrCondition if the
// workflow was written since it was read.
func (s *Store) Drop(ctx context.Context, w Workflow) error {
	_, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.workflows, Key: workflowKey(w.CorrelationID), ConditionExpression: aws.String("version = :seen"),
		ExpressionAttributeValues: map[string]table.Value{":seen": table.Integer(w.Version)},
	})
	if _, failed := errors.AsType[*types.ConditionalCheckFailedException](err); failed {
		return lifecycle.ErrCondition
	}
	return wrapped("drop "+w.CorrelationID, err)
}
