package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/library"
)

// contents contains generated libraries. A tenth of the nodes are folders, which form a tree for each owner. Each
// owner shares a folder with up to ten owners, and one in twenty owners has a public folder.
type contents struct {
	owners []string
	nodes  []library.Node
	shared []library.Node // one folder of each owner
	words  int
	zipf   *rand.Zipf
	random *rand.Rand
}

// vocabulary is the number of distinct words; their frequency follows Zipf's law.
const vocabulary = 50_000

func newLibrary(owners, nodes, words int) *contents {
	l := &contents{words: words, random: rand.New(rand.NewPCG(1, 2))}
	l.zipf = rand.NewZipf(l.random, 1.1, 2, vocabulary-1)
	for i := range owners {
		l.owners = append(l.owners, fmt.Sprintf("owner-%d", i))
	}
	for i, owner := range l.owners {
		root := node(library.KindUser, owner, "", "")
		root.ID = library.RootID(owner)
		l.nodes = append(l.nodes, root)
		folders := []library.Node{root}
		for n := range nodes/owners - 1 {
			parent := folders[l.random.IntN(len(folders))]
			if n%10 > 0 {
				l.nodes = append(l.nodes, node(library.KindFile, owner, parent.ID, l.text(3)+".txt"))
				continue
			}
			folder := node(library.KindFolder, owner, parent.ID, l.text(2))
			if n == 0 {
				for range 10 {
					folder.Permissions.Users = append(folder.Permissions.Users, l.owners[l.random.IntN(owners)])
				}
				folder.Permissions.Users = unique(folder.Permissions.Users)
				folder.Permissions.IsPublic = i%20 == 0
				l.shared = append(l.shared, folder)
			}
			folders, l.nodes = append(folders, folder), append(l.nodes, folder)
		}
	}
	return l
}

func unique(names []string) []string {
	var all []string
	seen := map[string]bool{}
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}

func node(kind library.Kind, owner, parent, name string) library.Node {
	now := time.Now().UTC().Format(library.TimeLayout)
	n := library.Node{
		ID: uuid.Must(uuid.NewV7()).String(), Type: kind, TypeOwnedBy: string(kind) + "#" + owner, OwnedBy: owner, CreatedBy: owner, UpdatedBy: owner,
		ParentID: parent, Name: name, Status: library.Created, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if kind == library.KindFile {
		n.SubType, n.Status, n.Run = "Text", library.Processed, 1
	}
	return n
}

// word returns a word by its rank. Rank 0 is the most frequent word.
func (*contents) word(rank uint64) string {
	const letters = "etaoinsrhldcu"
	w := "w"
	for rank++; rank > 0; rank /= uint64(len(letters)) {
		w += letters[rank%uint64(len(letters)):][:1]
	}
	return w
}

func (l *contents) text(words int) string {
	all := make([]string, words)
	for i := range all {
		all[i] = l.word(l.zipf.Uint64())
	}
	return strings.Join(all, " ")
}

// misspelled returns a word with two neighboring letters swapped.
func (l *contents) misspelled() string {
	for {
		word := []byte(l.text(1))
		at := l.random.IntN(len(word) - 1)
		if len(word) >= 4 && word[at] != word[at+1] {
			word[at], word[at+1] = word[at+1], word[at]
			return string(word)
		}
	}
}

const (
	writers = 16
	batch   = 25 // the limit of BatchWriteItem
)

// fill stores the nodes in the table and the texts in memory. It returns the size of all texts in bytes.
func (s *system) fill(ctx context.Context, l *contents) (int64, error) {
	var size int64
	all, writing := errgroup.WithContext(ctx)
	all.SetLimit(writers)
	for at := 0; at < len(l.nodes); at += batch {
		var requests []types.WriteRequest
		for _, n := range l.nodes[at:min(len(l.nodes), at+batch)] {
			item, err := attributevalue.MarshalMap(n)
			if err != nil {
				return 0, err
			}
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			if n.Type != library.KindFile {
				continue
			}
			text := l.text(l.words)
			size += int64(len(text))
			if err := s.texts.put(library.ResultKey(n.ID, 1, library.TextName), text); err != nil {
				return 0, err
			}
		}
		all.Go(func() error {
			written, err := s.backends.DB.BatchWriteItem(writing, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.nodes: requests}})
			if err == nil && len(written.UnprocessedItems) > 0 {
				err = fmt.Errorf("%d of %d nodes were not written", len(written.UnprocessedItems[s.nodes]), len(requests))
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return 0, err
	}
	return size, s.forgetChanges(ctx)
}

// forgetChanges replaces the change stream of the nodes table, so that query does not publish an event for each
// node. The stream of a table that was filled long ago contains no such changes either.
func (s *system) forgetChanges(ctx context.Context) error {
	for _, stream := range []types.StreamSpecification{{StreamEnabled: aws.Bool(false)}, {StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages}} {
		if _, err := s.backends.DB.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &s.nodes, StreamSpecification: &stream}); err != nil {
			return err
		}
	}
	return nil
}
