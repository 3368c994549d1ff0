package library

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/assay-project/assay/pkg/table"
)

// Files reads the files with these ids, with strongly consistent reads. It omits missing files.
func (s *Store) Files(ctx context.Context, ids []string) (map[string]File, error) {
	found := map[string]File{}
	err := s.readAll(ctx, s.files, idName, ids, func(id string, item map[string]table.Value) error {
		var f File
		err := attributevalue.UnmarshalMap(item, &f)
		found[id] = f
		return err
	})
	return found, err
}

// nodesOf reads the nodes with these ids, with strongly consistent reads. It omits missing nodes.
func (s *Store) nodesOf(ctx context.Context, ids []string) (map[string]Node, error) {
	found := map[string]Node{}
	err := s.readAll(ctx, s.nodes, idName, ids, func(id string, item map[string]table.Value) error {
		var n Node
		err := attributevalue.UnmarshalMap(item, &n)
		found[id] = n
		return err
	})
	return found, err
}

// Reasons returns why files are Failed, or what is missing from ProcessedPartially ones, by the ids of their nodes. Other
// nodes are ignored. The reads are strongly consistent.
func (s *Store) Reasons(ctx context.Context, nodes ...Node) (map[string]string, error) {
	var keys []table.Key
	for _, n := range nodes {
		if n.Status == Failed || n.Status == ProcessedPartially {
			keys = append(keys, key(n.ID))
		}
	}
	reasons := map[string]string{}
	read := table.Get{Table: s.files, Keys: keys, Consistent: true, Attributes: []string{idName, errorMessageName}}
	return reasons, table.GetAll(ctx, s.db, read, func(item map[string]table.Value) error {
		reasons[table.TextOf(item[idName])] = table.TextOf(item[errorMessageName])
		return nil
	})
}

// readAll reads the items of a table with these ids, and calls see for each. An id may occur more than once.
func (s *Store) readAll(ctx context.Context, name, keyName string, ids []string, see func(id string, item map[string]table.Value) error) error {
	var keys []table.Key
	seen := map[string]bool{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			keys = append(keys, table.Key{keyName: table.Text(id)})
		}
	}
	return table.GetAll(ctx, s.db, table.Get{Table: name, Keys: keys, Consistent: true}, func(item map[string]table.Value) error {
		id := table.TextOf(item[keyName])
		if err := see(id, item); err != nil {
			return fmt.Errorf("read %s %s: %w", name, id, err)
		}
		return nil
	})
}

// Paths reads the paths of several nodes level by level, from the nodes upward, with strongly consistent reads. It
// omits paths with a missing node.
func (s *Store) Paths(ctx context.Context, ids []string) (map[string]Path, error) {
	known := map[string]Node{}
	for next := ids; len(next) > 0; {
		found, err := s.nodesOf(ctx, next)
		if err != nil {
			return nil, err
		}
		maps.Copy(known, found)
		next = nil
		for _, n := range found {
			if _, read := known[n.ParentID]; !n.top() && !read {
				next = append(next, n.ParentID)
			}
		}
	}
	paths := map[string]Path{}
	for _, id := range ids {
		var path Path
		n, exists := known[id]
		for ; exists && len(path) < maxPath; n, exists = known[n.ParentID] {
			if path = append(path, n); n.top() {
				paths[id] = path
				break
			}
		}
	}
	return paths, nil
}
