package library

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/query/live"
)

// Names of the library's events in live streams.
const (
	nodeEvent     = "node"
	progressEvent = "progress"
)

// follow adds node changes and the progress of files to the live events.
func follow(hub *live.Hub) {
	hub.Follow(live.Source{
		Area: library.Name, Stream: library.NodeStream, Event: nodeChange,
		Description: "`node` reports that a folder or file of the library was created, updated or deleted, with its name, parentId, status " +
			"and version. Moving a node away or to the trash is also reported as an update.",
	})
	hub.Follow(live.Source{
		Area: library.Name, Subjects: library.ProgressSubjects, Event: fileProgress,
		Description: "`progress` reports how many processing steps of a file are open, done, failed and skipped. " +
			"It has no id, is sent at most once per second and file, and is not replayed.",
	})
}

// changeView is the form of NodeChanged in live streams: it omits the ids of owners.
type changeView struct {
	NodeID    string    `json:"nodeId"`
	Change    string    `json:"change"`
	Type      string    `json:"type,omitempty"`
	SubType   string    `json:"subType,omitempty"`
	Name      string    `json:"name,omitempty"`
	ParentID  string    `json:"parentId,omitempty"`
	Status    string    `json:"status,omitempty"`
	Trashed   bool      `json:"trashed"`
	IsPublic  bool      `json:"isPublic"`
	Version   int64     `json:"version"`
	ChangedAt time.Time `json:"changedAt"`
}

func nodeChange(d bus.Delivery) (live.Event, bool) {
	n := &event.NodeChanged{}
	if event.Unmarshal(d.Data, n) != nil {
		return live.Event{}, false
	}
	return show(nodeEvent, n.NodeId, n, viewOf(n))
}

func viewOf(n *event.NodeChanged) changeView {
	return changeView{
		n.NodeId, n.Change, n.Type, n.SubType, n.Name, n.ParentId, n.Status, n.Trashed, n.IsPublic, int64(n.Version), n.ChangedAt.AsTime(),
	}
}

// progressView is the form of LibraryProgress in live streams.
type progressView struct {
	FileID    string    `json:"fileId"`
	Run       int64     `json:"run"`
	Status    string    `json:"status"`
	Open      int       `json:"open"`
	Done      int       `json:"done"`
	Failed    int       `json:"failed"`
	Skipped   int       `json:"skipped"`
	UpdatedAt time.Time `json:"updatedAt"`
}

func fileProgress(d bus.Delivery) (live.Event, bool) {
	p := &event.LibraryProgress{}
	if event.Unmarshal(d.Data, p) != nil {
		return live.Event{}, false
	}
	return show(progressEvent, p.FileId, p, progressView{
		p.FileId, int64(p.Run), p.Status, int(p.Open), int(p.Done), int(p.Failed), int(p.Skipped), p.UpdatedAt.AsTime(),
	})
}

func show(name, item string, facet, view any) (live.Event, bool) {
	data, err := json.Marshal(view)
	return live.Event{Event: web.Event{Name: name, Data: data}, Item: item, Facet: facet}, err == nil
}

// streamRoute registers the stream of events of a node and everything below it.
func (a *Area) streamRoute(r *web.Router) {
	text := &huma.Schema{Type: "string"}
	a.hub.Handle(r, huma.Operation{
		OperationID: "live-library-events", Path: "/v1/library/nodes/{id}/events", Security: web.OptionalSecurity, Tags: []string{tag}, Summary: "Stream live events of a node and everything below it",
		Description: "Server-sent events like those of /v1/events, for everyone who may read the node: `node`, whose status reports how the processing of a " +
			"file ended, and `progress`. A node that was moved away, trashed or erased is `deleted`. The stream ends within 5 seconds after the " +
			"permission is revoked or the node is removed; later requests return 404.",
		Parameters: []*huma.Param{
			{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: "string", Format: "uuid"}},
			{Name: web.OwnerHeader, In: "header", Schema: text},
			{Name: "link", In: "query", Schema: text, Description: "the token of a share link"},
		},
	}, a.belowNode)
}

// belowNode selects the events of a node and everything below it.
func (a *Area) belowNode(r *http.Request) (live.Filter, error) {
	id, err := uuid.Parse(r.PathValue("id"))
	if err != nil {
		return live.Filter{}, problem(lifecycle.ErrNotFound)
	}
	c, err := a.callerOf(r.Context(), web.CallerOf(r.Context()), r.URL.Query().Get("link"))
	if err == nil {
		_, err = a.store.Readable(r.Context(), id.String(), c)
	}
	v := &viewer{store: a.store, id: id.String(), caller: c, below: map[string]verdict{}}
	return live.Filter{Area: library.Name, Match: v.match, Check: v.check, Allowed: v.allowed}, problem(err)
}

// trusted is how long a viewer caches what it has read. A change to a folder invalidates the cache immediately.
const trusted = 2 * time.Second

// viewer decides which events the caller of a node's stream may see. It is not safe for concurrent use.
type viewer struct {
	store   *library.Store
	id      string // of the node
	caller  library.Caller
	read    time.Time          // when the caller's read permission was last confirmed
	below   map[string]verdict // by node id
	cleared time.Time          // when below was last emptied
}

// verdict records whether a node is the viewer's node or below it, and whether the caller may read it.
type verdict struct {
	yes  bool
	read time.Time
}

// match omits outcomes: the node's status already reports them.
func (*viewer) match(facet any) bool { return facet != nil }

// allowed returns an error if the caller may no longer read the node.
func (v *viewer) allowed(ctx context.Context) error {
	link := v.caller.Link.Expires
	if !link.IsZero() && time.Now().After(link) {
		return library.ErrLink
	}
	if time.Since(v.read) < trusted {
		return nil
	}
	_, err := v.store.Readable(ctx, v.id, v.caller)
	if err == nil {
		v.read = time.Now()
	}
	return err
}

// check decides whether to send an event. Backend errors end the stream, and the client resumes it.
func (v *viewer) check(ctx context.Context, facet any) (send bool, instead *web.Event, err error) {
	n, ok := facet.(*event.NodeChanged)
	if !ok {
		p, _ := facet.(*event.LibraryProgress)
		send, err = v.shows(ctx, p.GetFileId())
		return send, nil, err
	}
	if n.Type != string(library.KindFile) && n.Change != library.ChangeCreated { // its parent or its readers may have changed
		clear(v.below)
		v.read = time.Time{}
		if err := v.allowed(ctx); err != nil {
			return false, nil, err
		}
	}
	if n.NodeId == v.id {
		return true, v.hidingRoot(n), v.allowed(ctx)
	}
	if send, err = v.shows(ctx, n.ParentId); send || err != nil {
		return send, nil, err
	}
	if send, err = v.shows(ctx, n.PreviousParentId); !send || err != nil {
		return false, nil, err
	}
	removed, _ := show(nodeEvent, n.NodeId, nil, changeView{
		NodeID: n.NodeId, Change: library.ChangeDeleted, Version: int64(n.Version), ChangedAt: n.ChangedAt.AsTime(),
	})
	return true, &removed.Event, nil
}

// hidingRoot returns the event of a change without the id of the root that contains the node, which only its owner sees.
// It returns nil if the event does not contain it, or if the caller is the owner.
func (v *viewer) hidingRoot(n *event.NodeChanged) *web.Event {
	if n.OwnerId == v.caller.Owner || n.ParentId != library.RootID(n.OwnerId) {
		return nil
	}
	view := viewOf(n)
	view.ParentID = ""
	shown, _ := show(nodeEvent, n.NodeId, nil, view)
	return &shown.Event
}

// shows reports whether a node is the viewer's node or below it and the caller may read it.
func (v *viewer) shows(ctx context.Context, id string) (bool, error) {
	if id == "" {
		return false, nil
	}
	if known, ok := v.below[id]; ok && time.Since(known.read) < trusted {
		return known.yes, nil
	}
	if time.Since(v.cleared) > trusted {
		clear(v.below)
		v.cleared = time.Now()
	}
	path, err := v.store.Readable(ctx, id, v.caller)
	if err != nil && !errors.Is(err, lifecycle.ErrNotFound) {
		return false, err
	}
	found := verdict{read: time.Now(), yes: slices.ContainsFunc(path, func(n library.Node) bool { return n.ID == v.id })}
	v.below[id] = found
	return found.yes, nil
}
