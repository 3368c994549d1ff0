package textfile

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/table"
)

// Listing selects a page of an owner's files.
type Listing struct {
	OwnerID string
	Status  lifecycle.State // empty for all
	Limit   int32           // maximum files on the page, above 0
	Cursor  string          // NextCursor of the previous page; empty for the first
}

// Page is one page of a list. Files have no Result. NextCursor is empty on the
// last page.
type Page struct {
	Files      []File
	NextCursor string
}

// List reads a page of an owner's files, newest first, with strongly consistent reads. A page of a rare
// status may have fewer files than Limit, or none, and still have a NextCursor. List returns table.ErrCursor
// for a cursor of another list.
func (s *Store) List(ctx context.Context, l Listing) (Page, error) {
	list := s.filesOf(l.OwnerID)
	if l.Status != "" {
		filter := expression.Name(statusName).Equal(expression.Value(string(l.Status)))
		list.Filter, list.Sparse = &filter, true
	}
	items, next, err := list.Page(ctx, s.db, l.Limit, l.Cursor)
	if err != nil {
		return Page{}, err
	}
	page := Page{NextCursor: next}
	if err := attributevalue.UnmarshalListOfMaps(items, &page.Files); err != nil {
		return Page{}, fmt.Errorf("list: %w", err)
	}
	return page, nil
}

// filesOf returns the list of an owner's files, which is sorted by their ids.
func (s *Store) filesOf(owner string) table.Partition {
	return table.Partition{Table: s.table, Hash: partitionKey, Value: ownerPrefix + owner, Keys: []string{partitionKey, sortKey}}
}

// After returns the cursor of the page of the owner's files that begins after a file, which need not exist any more.
func (s *Store) After(f File) (cursor string, err error) {
	return s.filesOf(f.OwnerID).After(historyKey(f.OwnerID, f.FileID))
}

// Counts reads the words of the COMPLETED files of a page, by file id. It omits a file that was deleted or retried since.
func (s *Store) Counts(ctx context.Context, files []File) (map[string]WordTotals, error) {
	get := table.Get{Table: s.table, Attributes: []string{
		fileIDName, statusName, resultName + ".totalWords", resultName + ".uniqueWords", resultName + "." + sizeName,
	}}
	for _, f := range files {
		if f.Status == Completed {
			get.Keys = append(get.Keys, metaKey(f.FileID))
		}
	}
	found := map[string]WordTotals{}
	err := table.GetAll(ctx, s.db, get, func(item map[string]types.AttributeValue) error {
		var f struct {
			FileID string          `dynamodbav:"fileId"`
			Status lifecycle.State `dynamodbav:"status"`
			Result WordTotals      `dynamodbav:"result"`
		}
		if err := attributevalue.UnmarshalMap(item, &f); err != nil {
			return fmt.Errorf("read the words of a list: %w", err)
		}
		if f.Status == Completed {
			found[f.FileID] = f.Result
		}
		return nil
	})
	return found, err
}
