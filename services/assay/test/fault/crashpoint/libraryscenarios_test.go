package crashpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/ingest"
)

// libraryScenarios returns the scenarios of the library: one for every call that changes the library.
// Package workflow crashes the steps of each type of file at every call.
func libraryScenarios() []scenario {
	edits := []string{ingest.Name}
	return []scenario{
		{name: "library folder", roles: services(), abandons: true, play: folderCreated},
		{name: "library form", roles: textRoles, abandons: true, play: nodeByForm},
		{name: "library presigned and reported", roles: services(), abandons: true, play: nodeReported},
		{name: "library presigned and notified", roles: textRoles, notices: true, play: nodeNoticed},
		{name: "library parts", roles: textRoles, abandons: true, play: nodeInParts},
		{name: "library picture", roles: textRoles, play: pictureUploaded},
		{name: "library damaged picture", roles: textRoles, play: damagedPicture},
		{name: "library import", roles: textRoles, play: folderImported},
		{name: "library move and rename", roles: edits, play: nodeMoved},
		{name: "library move of a folder", roles: edits, play: folderMoved},
		{name: "library trash", roles: edits, play: nodeTrashed},
		{name: "library restore", roles: edits, play: nodeRestored},
		{name: "library bulk", roles: edits, play: nodesChanged},
		{name: "library permissions", roles: edits, play: nodePublished},
		{name: "library link", roles: edits, play: nodeLinked},
		{name: "library retry", roles: textRoles, play: nodeFailedBefore},
		{name: "library erase", roles: textRoles, play: nodeErased},
		{name: "library erase during processing", roles: textRoles, play: nodeErasedDuringProcessing},
		{name: "library erase of a folder", roles: textRoles, play: folderErased},
		{name: "library sweep", roles: []string{sweep}, play: librarySweptUp},
	}
}

// next changes the idempotency key, so that the client's next call creates another node.
func (r *run) next() { r.key = uuid.Must(uuid.NewV7()).String() }

// nodeID returns the id of the client's node.
func (r *run) nodeID() string {
	id, err := r.system.ids.New(context.Background(), r.owner, r.key)
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	return id
}

func (r *run) promisedNode(ctx context.Context, id, result string) {
	r.promised(ctx, audit.Promise{Area: library.Name, ID: id, Result: result})
}

// finalNode returns an error until a node is in its promised final state.
func (r *run) finalNode(ctx context.Context, p audit.Promise) error {
	n, err := r.system.nodes.Get(ctx, p.ID)
	switch {
	case errors.Is(err, lifecycle.ErrNotFound) && p.End == audit.Gone:
		return nil
	case err == nil && (p.End == audit.Gone || n.Type == library.KindFile && !library.Machine().IsFinal(n.Status)):
		return fmt.Errorf("its state is %s", n.Status)
	}
	return err
}

// ask makes a call of the library with a JSON body; an empty body means none.
func (r *run) ask(ctx context.Context, method, path, body string, want ...int) (status int, answer []byte) {
	var header map[string]string
	if body != "" {
		header = map[string]string{"Content-Type": "application/json"}
	}
	return r.send(ctx, request{method: method, path: "/v1/library" + path, header: header, body: []byte(body), want: want})
}

// createFolder creates a folder and returns its id. An empty parentID means the root.
func (r *run) createFolder(ctx context.Context, name, parentID string) string {
	r.next()
	r.ask(ctx, http.MethodPost, "/folders", placed(name, parentID, ""), http.StatusCreated)
	return r.nodeID()
}

// placed returns a JSON object with the name of a node, its parent if any, and more, which
// starts with a comma if it is not empty.
func placed(name, parentID, more string) string {
	if parentID != "" {
		more += fmt.Sprintf(`,"parentId":%q`, parentID)
	}
	return fmt.Sprintf(`{"name":%q%s}`, name, more)
}

// reserveAndPutNode reserves a file, puts its bytes into the bucket, and returns its id.
func (r *run) reserveAndPutNode(ctx context.Context, name, parentID, content string) string {
	r.next()
	_, answer := r.ask(ctx, http.MethodPost, "/files", placed(name, parentID, fmt.Sprintf(`,"size":%d`, len(content))), http.StatusCreated)
	if r.abandoned {
		return r.nodeID()
	}
	var reserved photoUpload
	if err := json.Unmarshal(answer, &reserved); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
	}
	r.putPhoto(ctx, reserved, []byte(content))
	return r.nodeID()
}

// upload uploads a file, reports the upload, and returns the file's id.
func (r *run) upload(ctx context.Context, name, parentID, content string) string {
	id := r.reserveAndPutNode(ctx, name, parentID, content)
	if !r.abandoned {
		r.ask(ctx, http.MethodPost, "/files/"+id+"/uploaded", "", http.StatusAccepted)
	}
	return id
}

// processed uploads a text, waits until it is Processed, and returns its id.
func (r *run) processed(ctx context.Context, name, parentID string) string {
	id := r.upload(ctx, name, parentID, text)
	r.settle(ctx, audit.Promise{Area: library.Name, ID: id, At: time.Now()})
	return id
}

func folderCreated(ctx context.Context, r *run) {
	r.begin()
	r.promisedNode(ctx, r.createFolder(ctx, "docs", ""), "Created /docs")
}

func nodeByForm(ctx context.Context, r *run) {
	r.begin()
	header, body := form("text/plain", text)
	r.next()
	r.send(ctx, request{method: http.MethodPost, path: "/v1/library/files", header: header, body: body, want: []int{http.StatusAccepted}})
	r.promisedNode(ctx, r.nodeID(), "Processed /scenario.txt")
}

func nodeReported(ctx context.Context, r *run) {
	r.begin()
	r.promisedNode(ctx, r.upload(ctx, "a.txt", "", text), "Processed /a.txt")
}

func nodeNoticed(ctx context.Context, r *run) {
	r.begin()
	r.promisedNode(ctx, r.reserveAndPutNode(ctx, "a.txt", "", text), "Processed /a.txt")
}

func pictureUploaded(ctx context.Context, r *run) {
	r.begin()
	r.promisedNode(ctx, r.upload(ctx, "a.jpg", "", string(drawPhoto())), "Processed /a.jpg")
}

func damagedPicture(ctx context.Context, r *run) {
	r.begin()
	id := r.upload(ctx, "a.jpg", "", string(drawPhoto()[:700]))
	r.promised(ctx, audit.Promise{Area: library.Name, ID: id, End: audit.Failed})
}

// folderImported creates a folder with files of several types.
func folderImported(ctx context.Context, r *run) {
	r.begin()
	folder := r.createFolder(ctx, "docs", "")
	uploads := map[string]string{
		r.upload(ctx, "a.txt", folder, text): "a.txt", r.upload(ctx, "b.html", folder, "<p>one two</p>"): "b.html",
		r.upload(ctx, "c.bin", folder, "\x00\x01\x02"): "c.bin",
	}
	r.promisedNode(ctx, folder, "Created /docs")
	for id, name := range uploads {
		r.promisedNode(ctx, id, "Processed /docs/"+name)
	}
}

func nodeMoved(ctx context.Context, r *run) {
	folder, file := r.createFolder(ctx, "docs", ""), r.processed(ctx, "a.txt", "")
	r.begin()
	r.ask(ctx, http.MethodPatch, "/nodes/"+file, placed("b.txt", folder, ""), http.StatusOK)
	r.promisedNode(ctx, folder, "Created /docs")
	r.promisedNode(ctx, file, "Processed /docs/b.txt")
}

func folderMoved(ctx context.Context, r *run) {
	above, folder := r.createFolder(ctx, "docs", ""), r.createFolder(ctx, "inner", "")
	file := r.processed(ctx, "a.txt", folder)
	r.begin()
	r.ask(ctx, http.MethodPatch, "/nodes/"+folder, fmt.Sprintf(`{"parentId":%q}`, above), http.StatusOK)
	r.promisedNode(ctx, above, "Created /docs")
	r.promisedNode(ctx, folder, "Created /docs/inner")
	r.promisedNode(ctx, file, "Processed /docs/inner/a.txt")
}

func nodeTrashed(ctx context.Context, r *run) {
	file := r.processed(ctx, "a.txt", "")
	r.begin()
	r.ask(ctx, http.MethodDelete, "/nodes/"+file, "", http.StatusNoContent)
	r.promisedNode(ctx, file, "Processed trash/a.txt")
}

func nodeRestored(ctx context.Context, r *run) {
	folder := r.createFolder(ctx, "docs", "")
	file := r.processed(ctx, "a.txt", folder)
	r.ask(ctx, http.MethodDelete, "/nodes/"+file, "", http.StatusNoContent)
	r.begin()
	r.ask(ctx, http.MethodPost, "/nodes/"+file+"/restore", "", http.StatusOK, http.StatusConflict) // 409: an earlier attempt restored it
	r.promisedNode(ctx, folder, "Created /docs")
	r.promisedNode(ctx, file, "Processed /docs/a.txt")
}

// nodesChanged moves one file, moves another to the trash and erases a third in one call.
func nodesChanged(ctx context.Context, r *run) {
	folder := r.createFolder(ctx, "docs", "")
	moved, trashed, erased := r.processed(ctx, "a.txt", ""), r.processed(ctx, "b.txt", ""), r.processed(ctx, "c.txt", "")
	r.begin()
	r.ask(ctx, http.MethodPost, "/nodes/bulk", fmt.Sprintf(
		`{"operations":[{"op":"move","id":%q,"parentId":%q},{"op":"trash","id":%q},{"op":"erase","id":%q}]}`, moved, folder, trashed, erased), http.StatusMultiStatus)
	r.promisedNode(ctx, folder, "Created /docs")
	r.promisedNode(ctx, moved, "Processed /docs/a.txt")
	r.promisedNode(ctx, trashed, "Processed trash/b.txt")
	r.promised(ctx, audit.Promise{Area: library.Name, ID: erased, End: audit.Gone})
}

func nodePublished(ctx context.Context, r *run) {
	folder := r.createFolder(ctx, "docs", "")
	r.begin()
	r.ask(ctx, http.MethodPut, "/nodes/"+folder+"/permissions", `{"isPublic":true}`, http.StatusOK)
	r.promisedNode(ctx, folder, "Created /docs public")
}

// nodeLinked creates a share link and revokes it.
func nodeLinked(ctx context.Context, r *run) {
	folder := r.createFolder(ctx, "docs", "")
	r.begin()
	r.ask(ctx, http.MethodPost, "/nodes/"+folder+"/links", `{"expiresIn":"1h"}`, http.StatusCreated)
	r.ask(ctx, http.MethodDelete, "/nodes/"+folder+"/links", "", http.StatusNoContent)
	r.promisedNode(ctx, folder, "Created /docs")
}

// nodeFailedBefore retries a file that can succeed but that the test moved to Failed.
func nodeFailedBefore(ctx context.Context, r *run) {
	id := r.reserveAndPutNode(ctx, "a.txt", "", text)
	file, err := r.system.nodes.File(ctx, id)
	if err == nil {
		err = r.system.nodes.Fail(ctx, file, "by hand")
	}
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	r.begin()
	if status, _ := r.ask(ctx, http.MethodPost, "/files/"+id+"/retry", "", http.StatusAccepted, http.StatusConflict); status == http.StatusConflict {
		// An earlier attempt moved the file to Loaded, and may have crashed before it
		// published the event.
		r.ask(ctx, http.MethodPost, "/files/"+id+"/uploaded", "", http.StatusAccepted)
	}
	r.promised(ctx, audit.Promise{Area: library.Name, ID: id, Result: "Processed /a.txt", Retried: true})
}

func (r *run) eraseNode(ctx context.Context, id string, gone ...string) {
	r.ask(ctx, http.MethodDelete, "/nodes/"+id+"?permanent=true", "", http.StatusNoContent, http.StatusAccepted)
	for _, id := range append(gone, id) {
		r.promised(ctx, audit.Promise{Area: library.Name, ID: id, End: audit.Gone})
	}
}

func nodeErased(ctx context.Context, r *run) {
	file := r.processed(ctx, "a.jpg", "")
	r.begin()
	r.eraseNode(ctx, file)
}

func nodeErasedDuringProcessing(ctx context.Context, r *run) {
	r.begin()
	r.eraseNode(ctx, r.upload(ctx, "a.jpg", "", string(drawPhoto())))
}

func folderErased(ctx context.Context, r *run) {
	folder := r.createFolder(ctx, "docs", "")
	inner := r.createFolder(ctx, "inner", folder)
	file := r.processed(ctx, "a.txt", inner)
	r.begin()
	r.eraseNode(ctx, folder, inner, file)
}

// librarySweptUp prepares states that only a sweep can repair: an unnotified upload, a file whose step
// is lost, an unused reservation, an erasure that was not published, and an orphan object.
func librarySweptUp(ctx context.Context, r *run) {
	s := r.system
	unnotified := r.reserveAndPutNode(ctx, "a.txt", "", text)
	lost := r.reserveAndPutNode(ctx, "b.txt", "", text)
	file, err := s.nodes.File(ctx, lost)
	if err == nil {
		object, err2 := s.audit.Bucket().Head(ctx, file.Key)
		_, _, err = s.nodes.StoreUpload(ctx, file, library.Content{Type: "Generic", Length: object.Size, ETag: object.ETag}, library.PlanOf("Generic"))
		err = errors.Join(err, err2)
	}
	r.next()
	r.ask(ctx, http.MethodPost, "/files", `{"name":"c.txt","size":1}`, http.StatusCreated)
	unused := r.nodeID()
	erased := r.processed(ctx, "d.txt", "")
	_, eraseErr := s.nodes.Erase(ctx, erased, library.Edit{By: r.owner})
	orphan, idErr := library.NewID("", "")
	_, putErr := s.audit.Bucket().Put(ctx, library.ResultKey(orphan, 1, "text"), "text/plain", nil, strings.NewReader(text))
	if err := errors.Join(err, eraseErr, idErr, putErr); err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(expires):
	}
	r.begin()
	s.sweep(ctx, r.t)
	r.promisedNode(ctx, unnotified, "Processed /a.txt")
	r.promisedNode(ctx, lost, "Processed /b.txt")
	r.promised(ctx, audit.Promise{Area: library.Name, ID: erased, End: audit.Gone})
	for _, gone := range []string{unused, orphan} {
		s.promise(audit.Promise{Run: r.title, Area: library.Name, ID: gone, End: audit.Gone})
	}
}
