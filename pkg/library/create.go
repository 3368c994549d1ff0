package library

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/extract"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// absent returns the condition for writing a new item.
func absent(keyName string) *string { return aws.String("attribute_not_exists(" + keyName + ")") }

func (s *Store) ensureRoot(ctx context.Context, owner string) (Node, error) {
	root, err := s.Root(ctx, owner)
	if err != nil || root.Version > 0 {
		return root, err
	}
	root.Version, root.CreatedAt = 1, stamp(s.now())
	root.UpdatedAt = root.CreatedAt
	item, err := attributevalue.MarshalMap(root)
	if err != nil {
		return Node{}, fmt.Errorf("create the root of %s: %w", owner, err)
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.nodes, Item: item, ConditionExpression: absent(idName)})
	if _, exists := errors.AsType[*types.ConditionalCheckFailedException](err); exists {
		return s.Get(ctx, root.ID)
	}
	if err != nil {
		return Node{}, fmt.Errorf("create the root of %s: %w", owner, err)
	}
	return root, nil
}

// NewNode describes a new folder or file.
type NewNode struct {
	ID       string // from NewID
	Owner    string
	ParentID string // empty for the owner's root
	Name     string
}

func (s *Store) newNode(n NewNode, kind Kind, state Node) (Node, error) {
	name, err := CleanName(n.Name)
	if err != nil {
		return Node{}, err
	}
	at := stamp(s.now())
	state.ID, state.Type, state.TypeOwnedBy, state.Name, state.ParentID = n.ID, kind, typeOwned(kind, n.Owner), name, n.ParentID
	state.OwnedBy, state.CreatedBy, state.UpdatedBy = n.Owner, n.Owner, n.Owner
	state.Version, state.CreatedAt, state.UpdatedAt = 1, at, at
	return state, nil
}

// CreateFolder creates a folder. It returns lifecycle.ErrExists, ErrName, or the reason why the parent cannot contain it:
// lifecycle.ErrNotFound, ErrOwner, ErrNotFolder, ErrTrashed or ErrTooDeep.
func (s *Store) CreateFolder(ctx context.Context, n NewNode) (Node, error) {
	for range changeAttempts {
		parent, err := s.parent(ctx, n.Owner, n.ParentID)
		if err != nil {
			return Node{}, err
		}
		n.ParentID = parent.Node().ID
		folder, err := s.newNode(n, KindFolder, Node{Status: Created})
		if err != nil {
			return Node{}, err
		}
		writes := []types.TransactWriteItem{{Put: nil}}
		if writes[0], err = s.put(s.nodes, idName, folder); err != nil {
			return Node{}, err
		}
		if parent.Node().Type != KindUser { // a root is never moved or removed
			writes = append(writes, s.inPlace(parent.Node()))
		}
		_, err = s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		if !table.CanceledFor(err, conditionFailed, conflict) {
			return folder, wrapped("create "+n.ID, err)
		}
		if _, err := s.Get(ctx, n.ID); err == nil {
			return Node{}, lifecycle.ErrExists
		}
	}
	return Node{}, ErrBusy
}

// NewFile describes a new file, including its node.
type NewFile struct {
	NewNode
	Type        extract.Type // likely workflow type, see TypeOf
	Bucket, Key string
	BlobID      string // from NewID
	Length      int64  // in bytes; -1 if unknown
	SHA256      string // as declared; may be empty
	ContentType string
	Options     ReadOptions
	Origin      string // URL from which the analyzer fetches the content; empty for an upload
	Source      string // identifies the content if it is a copy of that of another item; empty for an upload
	Keyed       bool   // the id comes from an idempotency key, so that a file that was erased may have had it
}

// firstRun returns the run of a new file: 1, or the next run of an erased file that had its id, as long as the operation that
// erased it is kept. Messages of that file are then of earlier runs. The write in the result fails if there is a later run.
func (s *Store) firstRun(ctx context.Context, r NewFile) (run int64, unchanged []types.TransactWriteItem, err error) {
	if !r.Keyed {
		return 1, nil, nil
	}
	erased, err := s.Workflow(ctx, r.ID)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return 0, nil, err
	}
	w := Workflow{Run: erased.Run + 1}
	expr, err := expression.NewBuilder().WithCondition(earlier(w)).Build()
	if err != nil {
		return 0, nil, err
	}
	return w.Run, []types.TransactWriteItem{{ConditionCheck: &types.ConditionCheck{
		TableName: &s.workflows, Key: workflowKey(r.ID), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}}, nil
}

// Reserve creates a file in state Loading and its node. Uploads into one folder do not conflict: the folder is read
// but not locked. A sweep removes a file whose folder was erased after the check. Errors are those of CreateFolder.
func (s *Store) Reserve(ctx context.Context, r NewFile) (Node, File, error) {
	parent, err := s.parent(ctx, r.Owner, r.ParentID)
	if err != nil {
		return Node{}, File{}, err
	}
	r.ParentID = parent.Node().ID
	run, unchanged, err := s.firstRun(ctx, r)
	if err != nil {
		return Node{}, File{}, err
	}
	node, err := s.newNode(r.NewNode, kindOf(r.Type), Node{
		SubType: r.Type, Status: Loading, Run: run, Blob: &Blob{ID: r.BlobID, Bucket: r.Bucket, Key: r.Key, Length: r.Length},
	})
	if err != nil {
		return Node{}, File{}, err
	}
	file := File{
		ID: node.ID, Bucket: r.Bucket, BlobID: r.BlobID, Key: r.Key, OwnedBy: r.Owner, CreatedBy: r.Owner, UpdatedBy: r.Owner,
		ParentID: node.ParentID, Name: node.Name, Length: r.Length, SHA256: r.SHA256, ContentType: r.ContentType, Options: r.Options.stored(), Origin: r.Origin,
		Type: r.Type, Status: Loading, Run: run, Version: 1, CreatedAt: node.CreatedAt, UpdatedAt: node.UpdatedAt,
	}
	putFile, err := s.put(s.files, idName, file)
	if err != nil {
		return Node{}, File{}, err
	}
	putNode, err := s.put(s.nodes, idName, node)
	if err != nil {
		return Node{}, File{}, err
	}
	_, err = s.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: append(unchanged, putFile, putNode)})
	if table.CanceledFor(err, conditionFailed) {
		return Node{}, File{}, lifecycle.ErrExists
	}
	return node, file, wrapped("reserve "+r.ID, err)
}

const (
	conditionFailed = "ConditionalCheckFailed"
	conflict        = "TransactionConflict"
)

// put returns the write of a new item.
func (s *Store) put(name, keyName string, item any) (types.TransactWriteItem, error) {
	attributes, err := attributevalue.MarshalMap(item)
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("write %s: %w", name, err)
	}
	return types.TransactWriteItem{Put: &types.Put{TableName: &name, Item: attributes, ConditionExpression: absent(keyName)}}, nil
}

// inPlace returns the condition that a folder still has the parent that was read and is not in the trash.
func (s *Store) inPlace(folder Node) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &s.nodes, Key: key(folder.ID), ConditionExpression: aws.String("parentId = :seen AND isDeleted = :no"),
		ExpressionAttributeValues: map[string]table.Value{
			":seen": table.Text(folder.ParentID), ":no": &types.AttributeValueMemberBOOL{Value: false},
		},
	}}
}

func wrapped(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
