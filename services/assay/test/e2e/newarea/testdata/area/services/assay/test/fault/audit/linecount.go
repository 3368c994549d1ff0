package audit

import (
	"context"
	"fmt"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/linecount"
	"github.com/assay-project/assay/services/assay/setup"
)

func lineCounts(cfg setup.Config, stores *backend.Connections) reader {
	store := linecount.NewStore(stores.DB, cfg.LineCount)
	return reader{read: func(ctx context.Context) (map[string]*held, error) {
		bytes, err := keys(ctx, stores.Bucket, linecount.ObjectPrefix)
		if err != nil {
			return nil, err
		}
		items := map[string]*held{}
		for key := range bytes {
			if id, _, mine := linecount.ParseObjectKey(key); mine {
				items[id] = &held{stuck: []string{"its bytes exist, but the item does not"}}
			}
		}
		for cursor, more := "", true; more; more = cursor != "" {
			page, next, err := store.Scan(ctx, cursor)
			if err != nil {
				return nil, err
			}
			for _, item := range page {
				ended, _ := item.Ended()
				items[item.ID] = &held{
					exists: true, state: item.Status, final: ended, failed: item.Status == linecount.Failed,
					ended: item.Updated(), result: fmt.Sprint(item.Lines), bytes: bytes[item.Key],
				}
			}
			cursor = next
		}
		return items, nil
	}}
}
