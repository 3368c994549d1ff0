package nodes

import (
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/query/search"
)

// Item returns the node of an event for the search index. A file has a text, if any, when its processing has finished.
func Item(c *event.NodeChanged) search.Item {
	return search.Item{
		ID: c.NodeId, Removed: c.Change == library.ChangeDeleted, Owner: c.OwnerId, Kind: c.Type, Parent: c.ParentId, Trashed: c.Trashed,
		Name: c.Name, Status: c.Status, Version: int64(c.Version), Run: int64(c.Run), Size: int64(c.Length),
		Finished: c.Type == string(library.KindFile) && library.Machine().IsFinal(lifecycle.State(c.Status)),
		Created:  c.CreatedAt.AsTime(), Changed: c.ChangedAt.AsTime(), Public: c.IsPublic, Users: c.Users, Groups: c.Groups,
	}
}
