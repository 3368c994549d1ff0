package crashpoint

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/library"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/textfile"
	"github.com/assay-project/assay/services/assay/test/fault/audit"
	"github.com/assay-project/assay/services/ingest"
	"github.com/assay-project/assay/services/query"
)

// ruleScenarios returns the scenarios in which rules act on a new item.
func ruleScenarios() []scenario {
	return []scenario{{name: "rule", roles: []string{ingest.Name, query.Name}, play: actedOnce}}
}

// actedOnce checks that a rule tags, sends and reports a new item once. Another rule, which waits for the tag, acts once too.
func actedOnce(ctx context.Context, r *run) {
	rule := func(name, body string) {
		r.send(ctx, request{
			method: http.MethodPut, path: "/v1/rules/" + name, header: map[string]string{"Content-Type": "application/json"}, body: []byte(body),
			want: []int{http.StatusOK, http.StatusCreated},
		})
	}
	rule("first", `{"q":"one two","areas":["textfile"],"actions":[{"tag":"counted"},{"send":"library"},{"notify":"counted"}]}`)
	rule("second", `{"q":"tag:counted","actions":[{"tag":"seen"},{"notify":"seen"}]}`)
	r.begin()
	r.post(ctx, text)
	file := saved.Item{Area: textfile.Name, ID: r.id(ctx)}
	r.promised(ctx, audit.Promise{Result: statistics})
	logs := saved.NewLogs(platform.NewStore(r.system.audit.DB(), r.system.cfg.Platform))
	var created *saved.Item
	err := r.system.settle(ctx, func(ctx context.Context) error {
		log, err := logs.Get(ctx, r.owner, file)
		done := 0
		for _, e := range log.Entries {
			if e.Status == saved.Done {
				done++
			}
			if e.Created != nil {
				created = e.Created
			}
		}
		if err == nil && (done != 5 || len(log.Entries) != 5 || created == nil) {
			err = fmt.Errorf("the log is %+v, want 5 actions that are done", log.Entries)
		}
		return err
	})
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	r.promised(ctx, audit.Promise{Area: library.Name, ID: created.ID, Result: "Processed /scenario.txt", At: time.Now()})
	nodes, err := r.system.nodes.ByType(ctx, library.KindFile, r.owner, library.Listing{Limit: 10})
	if err != nil || len(nodes.Nodes) != 1 {
		r.t.Errorf("%s: the library has %d files, error %v, want 1", r.title, len(nodes.Nodes), err)
	}
	tags, err := saved.NewTags(r.system.audit.DB(), r.system.cfg.Platform).Of(ctx, r.owner, file)
	if got := tags[file].Names(); err != nil || !slices.Equal(got, []string{"counted", "seen"}) {
		r.t.Errorf("%s: the tags are %q, error %v, want counted and seen", r.title, got, err)
	}
	r.published(ctx, "assay.saved.notice.textfile."+file.ID, 2)
	r.published(ctx, "assay.saved.match.textfile."+file.ID, 2)
}

// published checks the number of events of a subject.
func (r *run) published(ctx context.Context, subject string, want uint64) {
	stream, err := r.system.audit.JetStream().Stream(ctx, bus.StreamSaved)
	if err != nil {
		r.t.Errorf("%s: %v", r.title, err)
		return
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(subject))
	if err != nil || info.State.Subjects[subject] != want {
		r.t.Errorf("%s: %s has %v events, error %v, want %d", r.title, subject, info.State.Subjects, err, want)
	}
}
