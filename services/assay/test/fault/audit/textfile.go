package audit

import (
	"context"
	"encoding/json"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/setup"
)

func textFiles(cfg setup.Config, stores *backend.Connections) reader {
	store := textfile.NewStore(stores.DB, cfg.TextFile)
	return reader{read: func(ctx context.Context) (map[string]*held, error) { return readTextFiles(ctx, store, stores.Bucket) }}
}

func readTextFiles(ctx context.Context, store *textfile.Store, bucket *blob.Store) (map[string]*held, error) {
	bytes, err := keys(ctx, bucket, textfile.ObjectPrefix)
	if err != nil {
		return nil, err
	}
	items := map[string]*held{}
	for key := range bytes {
		if id, _, err := textfile.ParseObjectKey(key); err == nil {
			items[id] = &held{stuck: []string{"its bytes exist, but the item does not"}}
		}
	}
	files, listed := map[string]textfile.File{}, map[string]textfile.File{}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := store.Scan(ctx, cursor, textfile.ScanLimit)
		if err != nil {
			return nil, err
		}
		for _, file := range page.Files {
			files[file.FileID] = file
		}
		for _, file := range page.Listed {
			listed[file.FileID] = file
		}
		cursor = page.Next
	}
	for id, file := range files {
		result, err := json.Marshal(file.Result)
		if err != nil {
			return nil, err
		}
		one := &held{
			exists: true, state: file.Status, final: file.Final(), failed: file.Status == textfile.Failed,
			ended: file.Updated(), result: string(result), bytes: bytes[file.S3Key], reason: file.ErrorMessage,
		}
		items[id] = one
		file.Result = nil // stored in the metadata item only
		if inList, there := listed[id]; !there {
			one.stuck = append(one.stuck, "it is not listed")
		} else if inList != file {
			one.stuck = append(one.stuck, "its entry in the list differs: its state there is "+string(inList.Status))
		}
	}
	for id := range listed {
		if _, there := files[id]; !there {
			items[id] = &held{stuck: []string{"it is listed, but does not exist"}}
		}
	}
	return items, nil
}
