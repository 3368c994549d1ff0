package crashpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/textfile"
	e2e "github.com/assay-project/assay/services/assay/test/e2e/system"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/ingest"
)

func deadScenarios() []scenario {
	return []scenario{
		{name: "dead letter", roles: textRoles, play: failsByFault},
		{name: "dead letter replayed", roles: []string{ingest.Name}, play: replayed},
	}
}

// failsByFault processes a file whose event names other bytes than those in the bucket, so that it has a dead letter.
func failsByFault(ctx context.Context, r *run) {
	r.reserveAndPut(ctx)
	r.begin()
	r.publishOtherBytes(ctx)
	r.promised(ctx, audit.Promise{End: audit.Failed})
}

// replayed replays the dead letter of a file, whose bytes are in the bucket.
func replayed(ctx context.Context, r *run) {
	r.reserveAndPut(ctx)
	r.publishOtherBytes(ctx)
	id := r.id(ctx)
	r.settle(ctx, audit.Promise{Area: textfile.Name, ID: id, At: time.Now(), End: audit.Failed})
	_, answer := r.send(ctx, request{method: http.MethodGet, path: "/v1/dead?class=missing&limit=1000", operator: true, want: []int{http.StatusOK}})
	var list struct {
		DeadLetters []struct {
			Sequence uint64
			Item     string
		}
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		r.t.Errorf("%s: %v: %s", r.title, err, answer)
		return
	}
	for _, letter := range list.DeadLetters {
		if letter.Item != id {
			continue
		}
		r.begin()
		r.send(ctx, request{
			method: http.MethodPost, path: "/v1/dead/replay", operator: true, header: map[string]string{"Content-Type": "application/json"},
			body: fmt.Appendf(nil, `{"sequence":%d}`, letter.Sequence), want: []int{http.StatusOK, http.StatusNotFound}, // 404 if only the response was lost
		})
		r.promised(ctx, audit.Promise{Result: statistics, Retried: true})
		return
	}
	r.t.Errorf("%s: the file has no dead letter: %s", r.title, answer)
}

// publishOtherBytes publishes the work event of the client's reservation with a wrong entity tag.
func (r *run) publishOtherBytes(ctx context.Context) {
	file, err := r.system.files.Get(ctx, r.id(ctx))
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	e := textfile.NewUploaded(&event.FileUploaded{
		FileId: file.FileID, OwnerId: file.OwnerID, FileName: file.FileName, Bucket: file.S3Bucket, Key: file.S3Key, Etag: "0", Size: float64(len(text)),
	})
	if err := e2e.PublishWork(ctx, r.system.audit.JetStream(), e); err != nil {
		r.t.Errorf("%s: %v", r.title, err)
	}
}
