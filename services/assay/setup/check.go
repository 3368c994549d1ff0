package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/backend"
	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/process"
	"github.com/assay-project/assay/pkg/table"
)

// Report states whether the running services can be replaced by those of this version, one after another.
type Report struct {
	Version  string    `json:"version"`  // of this program
	Changes  []Change  `json:"changes"`  // what must change before, most of it by Run
	Services []Running `json:"services"` // the services whose addresses were given
	Newer    []Newer   `json:"newer"`    // what this version would leave to newer ones
	Blockers []string  `json:"blockers"` // why a rolling upgrade is not possible
	Steps    []string  `json:"steps"`    // what to do, in this order
}

// Possible reports whether a rolling upgrade is possible.
func (r Report) Possible() bool { return len(r.Blockers) == 0 }

// Change is a difference between the installation and what this version requires.
type Change struct {
	Kind   string `json:"kind"` // table, stream or bucket
	Name   string `json:"name"`
	Action string `json:"action"`
	Manual bool   `json:"manual"` // whether Run does not do it
}

// Running is a running service.
type Running struct {
	URL     string `json:"url"` // operator address
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	Error   string `json:"error,omitempty"` // why it did not state its version
}

// Newer is something of a newer version.
type Newer struct {
	Kind  string `json:"kind"` // messages, rows or settings
	Name  string `json:"name"` // of the stream or table
	Count int    `json:"count"`
	// Complete is false if there are more messages than were read.
	Complete bool `json:"complete"`
}

// mostMessages is the maximum number of messages that Check reads from a stream.
const mostMessages = 10_000

// Check compares a running installation with what this version requires. operated contains the operator URLs of services.
// It changes nothing.
func Check(ctx context.Context, cfg Config, operated []string) (Report, error) {
	r := Report{Version: process.Version(), Changes: []Change{}, Services: []Running{}, Newer: []Newer{}, Blockers: []string{}}
	backends, err := backend.Join(ctx, cfg.backends(), "upgrade-check", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		return r, err
	}
	defer backends.Close()
	err = errors.Join(r.storage(ctx, cfg, backends), r.streams(ctx, cfg, backends.Bus))
	for _, url := range operated {
		r.Services = append(r.Services, ask(ctx, url))
	}
	r.Steps = r.steps()
	return r, err
}

func (r *Report) blocked(format string, args ...any) {
	r.Blockers = append(r.Blockers, fmt.Sprintf(format, args...))
}

// storage compares tables and buckets, and counts rows of newer formats.
func (r *Report) storage(ctx context.Context, cfg Config, backends *backend.Connections) error {
	tables, err := cfg.Schemas()
	if err != nil {
		return config.Unusable(err)
	}
	changes, err := table.Changes(ctx, backends.DB, tables)
	if err != nil {
		return err
	}
	created := false
	for _, c := range changes {
		r.Changes = append(r.Changes, Change{"table", c.Table, c.Action, c.Manual})
		created = created || c.Table == cfg.Platform.Table && c.Action == "create"
		if c.Manual {
			r.blocked("the table %s must change, and assay setup does not make this change: %s", c.Table, c.Action)
		}
	}
	for _, bucket := range cfg.buckets(backends) {
		err := bucket.Check(ctx)
		if errors.Is(err, blob.ErrNotFound) {
			r.Changes = append(r.Changes, Change{Kind: "bucket", Name: bucket.Bucket, Action: "create"})
		} else if err != nil {
			return err
		}
	}
	if created {
		return nil
	}
	n, err := platform.NewStore(backends.DB, cfg.Platform).Newer(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		r.Newer = append(r.Newer, Newer{"rows", cfg.Platform.Table, n, true})
		r.blocked("%d rows of the table %s have formats that this version does not read: what they contain would be unavailable", n, cfg.Platform.Table)
	}
	return nil
}

// streams compares the streams, and counts work of newer versions.
func (r *Report) streams(ctx context.Context, cfg Config, b *bus.Bus) error {
	changes, err := b.Changes(ctx)
	if err != nil {
		return err
	}
	missing := map[string]bool{}
	for _, c := range changes {
		switch c.Action {
		case bus.Create, bus.Update:
			r.Changes = append(r.Changes, Change{Kind: "stream", Name: c.Stream, Action: string(c.Action)})
			missing[c.Stream] = c.Action == bus.Create
		case bus.Leave:
			r.Newer = append(r.Newer, Newer{"settings", c.Stream, 1, true})
		}
		if c.Err != nil {
			r.blocked("the stream %s: %v", c.Stream, c.Err)
		}
	}
	for _, a := range cfg.Areas() {
		stream := a.Work.Stream
		if missing[stream] {
			continue
		}
		n, all, err := b.NewerMessages(ctx, stream, mostMessages)
		if err != nil {
			return err
		}
		if n > 0 {
			r.Newer = append(r.Newer, Newer{"messages", stream, n, all})
			r.blocked("the stream %s contains %d messages of versions that this version does not support: let processes of the newer version complete them", stream, n)
		}
	}
	return nil
}

// ask reads the name and the version of a service from its API description.
func ask(ctx context.Context, url string) Running {
	r := Running{URL: url}
	var document struct {
		Info struct{ Title, Version string }
	}
	if err := read(ctx, strings.TrimSuffix(url, "/")+"/openapi.json", &document); err != nil {
		r.Error = err.Error()
		return r
	}
	title, _ := strings.CutSuffix(document.Info.Title, " for operators")
	r.Name, r.Version = strings.ToLower(strings.TrimPrefix(title, "Assay ")), document.Info.Version
	return r
}

func read(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: 30 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return json.NewDecoder(io.LimitReader(resp.Body, 16<<20)).Decode(into)
}

// order is the order in which services are replaced: those that read messages before those that send them.
var order = []string{"query", "analyzer", "ingest", "gateway"}

// steps returns what to do for a rolling upgrade, or only what to do before it if it is not possible.
func (r *Report) steps() []string {
	if !r.Possible() {
		return append(slices.Clone(r.Blockers), "Run this command again, or stop all services and follow docs/production.md.")
	}
	steps := []string{"Apply the policies in deploy/iam, deploy/nats and deploy/s3 of version " + r.Version + "."}
	if len(r.Changes) > 0 {
		steps = append(steps, "Run assay setup of version "+r.Version+".")
	}
	for _, name := range order {
		if at := r.other(name); at != "" {
			steps = append(steps, fmt.Sprintf("Replace each process of %s by version %s, one after another: start the new one, wait until /readyz returns 200, then stop the old one with SIGTERM%s.", name, r.Version, at))
		}
	}
	return steps
}

// other returns what is known about the processes of a service that have another version, or "" if all that are known have
// this version.
func (r *Report) other(name string) string {
	var found, others []string
	for _, s := range r.Services {
		if s.Name != name {
			continue
		}
		found = append(found, s.URL)
		if s.Version != r.Version {
			others = append(others, s.URL+" has version "+s.Version)
		}
	}
	switch {
	case len(found) == 0:
		return " (no address of it was given)"
	case len(others) == 0:
		return ""
	}
	return " (" + strings.Join(others, ", ") + ")"
}
