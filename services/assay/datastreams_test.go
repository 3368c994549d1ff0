package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/bus/bustest"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/fair"
	"github.com/assay-project/assay/pkg/obs"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/ingest/notice"
)

// streamsOf declares all streams on a server and describes them.
func streamsOf(t *testing.T, cfg setup.Config) string {
	t.Helper()
	settings := cfg.Backends.NATS
	settings.URL, settings.AllowUnsynced, settings.Queues = bustest.Start(t), true, []bus.Queue{notice.Queue()}
	for _, a := range cfg.Areas() {
		settings.Work = append(settings.Work, a.Work)
		if a.Log.Stream != "" {
			settings.Logs = append(settings.Logs, a.Log)
		}
	}
	b, err := bus.Connect(t.Context(), settings, "test", zerolog.Nop(), obs.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	js, err := jetstream.New(b.NATS)
	if err != nil {
		t.Fatal(err)
	}
	var all []jetstream.StreamConfig
	list := js.ListStreams(t.Context())
	for info := range list.Info() {
		all = append(all, info.Config)
	}
	if list.Err() != nil {
		t.Fatal(list.Err())
	}
	slices.SortFunc(all, func(one, other jetstream.StreamConfig) int { return cmp.Compare(one.Name, other.Name) })
	var out strings.Builder
	out.WriteString("| stream | subjects | contains | a message is removed |\n|---|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&out, "| `%s` | `%s` | %s | %s |\n", s.Name, strings.Join(s.Subjects, "`, `"), s.Description, removal(s))
	}
	return out.String()
}

// removal describes when a stream removes a message.
func removal(s jetstream.StreamConfig) string {
	var when []string
	if s.Retention == jetstream.WorkQueuePolicy {
		when = append(when, "when it is acknowledged")
	}
	if s.MaxAge > 0 {
		when = append(when, fmt.Sprintf("after %d days", s.MaxAge/(24*time.Hour)))
	}
	if s.MaxMsgsPerSubject == 1 && s.Retention == jetstream.LimitsPolicy {
		when = append(when, "by the next of its subject")
	}
	if s.MaxBytes > 0 && s.Discard == jetstream.DiscardOld {
		when = append(when, fmt.Sprintf("above %d MiB", s.MaxBytes>>20))
	}
	if len(when) == 0 {
		return "by an operator"
	}
	return strings.Join(when, ", ")
}

// eventsOf describes the events of all areas and their consumers.
func eventsOf(areas []area.Area) string {
	var b strings.Builder
	b.WriteString("| subject | event | stream |\n|---|---|---|\n")
	row := func(e event.Event, stream string) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Subject, strings.TrimPrefix(e.Type(), "assay.v1."), stream)
	}
	for _, a := range areas {
		for _, e := range a.Events {
			stream := "not stored"
			for _, s := range []struct{ name, subjects string }{{a.Work.Stream, a.Work.Subjects}, {a.Log.Stream, a.Log.Subjects}} {
				if s.name != "" && strings.HasPrefix(e.Subject, strings.TrimSuffix(s.subjects, ">")) {
					stream = "`" + s.name + "`"
				}
			}
			row(e, stream)
		}
	}
	outcomes := "`" + bus.StreamOutcomes + "`"
	row(event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: "{area}", Id: "{id}"}), outcomes)
	row(event.NewAnalysisFailed(&event.AnalysisFailed{Area: "{area}", Id: "{id}"}), outcomes)
	fmt.Fprintf(&b, "| `%s{consumer}` | the message of a consumer that gave up | `%s` |\n", strings.TrimSuffix(event.DeadSubjects, ">"), bus.StreamDead)
	fmt.Fprintf(&b, "\nThe analyzer has these consumers. Each has %d durable consumers, one per priority, with the suffixes `-0` to `-%d`:\n\n", fair.Priorities, fair.Priorities-1)
	b.WriteString("| work stream | consumers |\n|---|---|\n")
	for _, a := range areas {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", a.Work.Stream, strings.Join(a.Consumers, "`, `"))
	}
	return b.String()
}
