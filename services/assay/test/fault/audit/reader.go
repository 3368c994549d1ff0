package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/feed"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/setup"
)

// readers returns the readers of the areas that can be audited, by area name.
func readers(cfg setup.Config, stores *backend.Connections) map[string]reader {
	return map[string]reader{
		textfile.Name: textFiles(cfg, stores),
		feed.Name:     feedItems(cfg, stores),
		photojob.Name: photoJobs(cfg, stores),
		library.Name:  libraryNodes(cfg, stores),
	}
}

// reader reads what an area stores.
type reader struct {
	// read returns what the area stores, by item id.
	read func(context.Context) (map[string]*held, error)
	// leftover returns the key under which read reports the remains of a missing
	// item. If it is nil, that key is the item's id.
	leftover func(id string) string
}

// held describes what an area stores for one item, in terms common to all areas.
type held struct {
	exists bool // false if only remains of the item exist
	state  lifecycle.State
	final  bool
	failed bool
	reason string    // why it failed, as stored
	quiet  bool      // canceled by its owner, so that no dead letter is required
	silent bool      // of a kind that has no outcome events
	ended  time.Time // when the final state was written
	result string    // in the form of Promise.Result
	bytes  bool      // the item's bytes exist
	lost   []string  // findings that do not depend on the promise, one clause each
	twice  []string
	stuck  []string // findings that can resolve by themselves
}

// keys returns the keys of all objects with a prefix in a bucket.
func keys(ctx context.Context, bucket *blob.Store, prefix string) (map[string]bool, error) {
	found := map[string]bool{}
	for after := ""; ; {
		objects, more, err := bucket.List(ctx, prefix, after, blob.PageLimit)
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			found[object.Key] = true
			after = object.Key
		}
		if !more {
			return found, nil
		}
	}
}

// scan calls f with every item of a table, using strongly consistent reads.
func scan(ctx context.Context, db *dynamodb.Client, table string, f func(map[string]types.AttributeValue) error) error {
	in := &dynamodb.ScanInput{TableName: &table, ConsistentRead: aws.Bool(true)}
	for {
		out, err := db.Scan(ctx, in)
		if err != nil {
			return fmt.Errorf("scan %s: %w", table, err)
		}
		for _, attributes := range out.Items {
			if err := f(attributes); err != nil {
				return err
			}
		}
		if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
			return nil
		}
	}
}
