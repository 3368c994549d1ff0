package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/assay-project/assay/pkg/library"
)

// contents are generated libraries. A tenth of the nodes are folders, in trees; each owner shares a folder
// with ten others, and one in twenty owners has a public one.
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

// word returns a word by its rank: the first is the most frequent.
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

const (
	writers = 16
	batch   = 25 // of BatchWriteItem
)

// fill stores the nodes and the texts, and returns the number of bytes of text.
func (s *system) fill(ctx context.Context, l *contents) (int64, error) {
	var size atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(writers)
	for at := 0; at < len(l.nodes); at += batch {
		var requests []types.WriteRequest
		texts := map[string]string{}
		for _, n := range l.nodes[at:min(len(l.nodes), at+batch)] {
			item, err := attributevalue.MarshalMap(n)
			if err != nil {
				return 0, err
			}
			requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
			if n.Type == library.KindFile {
				texts[n.ID] = l.text(l.words)
			}
		}
		all.Go(func() error {
			_, err := s.backends.DB.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.nodes: requests}})
			if err != nil {
				return err
			}
			for id, text := range texts {
				size.Add(int64(len(text)))
				var b bytes.Buffer
				w := gzip.NewWriter(&b)
				if _, err := w.Write([]byte(text)); err != nil {
					return err
				}
				if err := w.Close(); err != nil {
					return err
				}
				if _, err := s.backends.Bucket.Put(ctx, library.ResultKey(id, 1, library.TextName), "application/gzip", nil, &b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := all.Wait()
	return size.Load(), err
}
