package crashpoint

import (
	"context"
	"fmt"
	"net/http"

	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
)

// sendScenarios returns the scenarios in which the content of an item is copied to a new item of each area.
func sendScenarios() []scenario {
	return []scenario{
		{name: "send to text files", roles: textRoles, abandons: true, play: sentToTexts},
		{name: "send to text files, notified", roles: textRoles, notices: true, play: sentToTexts},
		{name: "send to photos", roles: textRoles, play: sentToPhotos},
		{name: "send to photos, notified", roles: textRoles, notices: true, play: sentToPhotos},
		{name: "send to the library", roles: textRoles, abandons: true, play: sentToLibrary},
		{name: "send to the library, notified", roles: textRoles, notices: true, play: sentToLibrary},
	}
}

// sendTo sends an item with a new idempotency key.
func (r *run) sendTo(ctx context.Context, area, id, to string) {
	r.next()
	r.send(ctx, request{
		method: http.MethodPost, path: "/v1/items/" + area + "/" + id + "/send", header: map[string]string{"Content-Type": "application/json"},
		body: fmt.Appendf(nil, `{"to":%q}`, to), want: []int{http.StatusAccepted},
	})
}

func sentToTexts(ctx context.Context, r *run) {
	from := r.processed(ctx, "a.txt", "")
	r.promisedNode(ctx, from, "Processed /a.txt")
	r.begin()
	r.sendTo(ctx, library.Name, from, textfile.Name)
	r.promised(ctx, audit.Promise{Result: statistics})
}

func sentToPhotos(ctx context.Context, r *run) {
	from := r.upload(ctx, "a.jpg", "", string(drawPhoto()))
	r.promisedNode(ctx, from, "Processed /a.jpg")
	r.begin()
	r.sendTo(ctx, library.Name, from, photojob.Name)
	r.promisedPhoto(ctx, audit.Promise{Result: editedPhoto})
}

func sentToLibrary(ctx context.Context, r *run) {
	r.post(ctx, text)
	from := r.id(ctx)
	r.promised(ctx, audit.Promise{Result: statistics})
	r.begin()
	r.sendTo(ctx, textfile.Name, from, library.Name)
	r.promisedNode(ctx, r.nodeID(), "Processed /scenario.txt")
}
