package permissions

import (
	"bytes"
	_ "embed"
	"slices"
	"text/template"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/ingest/rule"
	"github.com/assay-project/assay/services/query/match"
	"github.com/assay-project/assay/services/query/webhook"
)

//go:embed nats.conf.tmpl
var natsTemplate string

// NATS lists the subjects that the programs may publish to as users of the NATS server. A JetStream request is a
// message to a subject of the JetStream API.
type NATS struct {
	Setup, Ingest, Analyzer, Query []string
	Signals                        []string // subjects that query subscribes to
}

// NATSGrants returns the subjects that each program publishes to, derived from the streams of the areas and of Assay
// itself.
func NATSGrants(areas []area.Area) NATS {
	g := NATS{
		Setup: []string{"$JS.API.STREAM.INFO.*"},
		// A replay publishes to the subject that the dead letter contains.
		Ingest:   []string{"$JS.API.INFO", notice.Subject, event.OutcomeSubjects, event.SavedSubjects},
		Analyzer: []string{"$JS.API.INFO", event.OutcomeSubjects},
	}
	g.Query = append([]string{"$JS.API.INFO", "$JS.API.STREAM.MSG.GET." + bus.StreamDead}, follow(bus.StreamOutcomes)...) // to count dead letters
	g.Query = append(append(g.Query, event.SavedSubjects), follow(bus.StreamSaved)...)
	streams := []string{bus.StreamOutcomes, bus.StreamSaved, bus.StreamDead, bus.StreamAttempts, bus.StreamAudit}
	for _, list := range []*[]string{&g.Ingest, &g.Analyzer, &g.Query} {
		*list = append(*list, bus.AuditSubjects)
	}
	for _, a := range areas {
		streams = append(streams, a.Work.Stream)
		g.Setup = append(g.Setup, "$JS.API.STREAM.MSG.GET."+a.Work.Stream) // upgrade-check counts messages of newer versions
		if a.Log.Stream != "" {
			g.Query = append(append(g.Query, a.Log.Subjects), follow(a.Log.Stream)...)
			declare := []string{"$JS.API.STREAM.INFO." + a.Log.Stream, "$JS.API.STREAM.CREATE." + a.Log.Stream}
			g.Setup = append(g.Setup, declare[1], "$JS.API.STREAM.UPDATE."+a.Log.Stream)
			g.Analyzer = append(g.Analyzer, declare...)
		}
		if a.Signals != "" {
			g.Analyzer, g.Signals = append(g.Analyzer, a.Signals), append(g.Signals, a.Signals)
		}
		if a.QuerySignals != "" {
			g.Query, g.Signals = append(g.Query, a.QuerySignals), append(g.Signals, a.QuerySignals)
		}
		g.Query = append(g.Query, "$JS.API.STREAM.MSG.GET."+a.Work.Stream, "$JS.API.CONSUMER.LIST."+a.Work.Stream) // to trace items
		// A sweep of the analyzer republishes lost work.
		work := []string{a.Work.Stored(), "$JS.API.STREAM.MSG.GET." + a.Work.Stream}
		g.Ingest, g.Analyzer = append(g.Ingest, work...), append(g.Analyzer, work...)
		for _, consumer := range a.Consumers {
			g.Analyzer = append(g.Analyzer, consume(a.Work.Stream, consumer, a.Work.Durables(consumer, "")...)...)
		}
	}
	for _, stream := range append(streams, notice.Stream) {
		g.Setup = append(g.Setup, "$JS.API.STREAM.CREATE."+stream, "$JS.API.STREAM.UPDATE."+stream)
		declare := []string{"$JS.API.STREAM.INFO." + stream, "$JS.API.STREAM.CREATE." + stream}
		g.Query = append(g.Query, declare[0]) // to measure backlogs and sizes, and to count dead letters
		g.Ingest = append(g.Ingest, declare...)
		if stream != notice.Stream {
			g.Analyzer = append(g.Analyzer, declare...)
		}
	}
	g.Ingest = append(g.Ingest, consume(notice.Stream, notice.Consumer, bus.Durable{Name: notice.Consumer})...)
	g.Ingest = append(g.Ingest, consume(bus.StreamSaved, rule.ConsumerName, bus.Durable{Name: rule.ConsumerName, Filter: saved.MatchSubjects})...)
	for stream, durables := range map[string][]bus.Durable{
		bus.StreamOutcomes: {{Name: webhook.Consumer}, {Name: match.Outcomes}},
		bus.StreamSaved:    {{Name: webhook.SavedConsumer}, {Name: match.Tags, Filter: saved.TagSubjects}, {Name: match.Moves, Filter: saved.MoveSubjects}},
	} {
		for _, durable := range durables {
			g.Query = append(g.Query, consume(stream, durable.Name, durable)...)
		}
	}
	// ingest reads the newest outcome of an item before it publishes a missing one.
	g.Ingest = append(g.Ingest, "$JS.API.STREAM.MSG.GET."+bus.StreamOutcomes)
	g.Ingest = append(g.Ingest, "$JS.API.STREAM.MSG.GET."+bus.StreamAudit)
	g.Ingest = append(g.Ingest, "$JS.API.STREAM.MSG.GET."+bus.StreamDead, "$JS.API.STREAM.MSG.DELETE."+bus.StreamDead)
	g.Analyzer = append(g.Analyzer, "$JS.API.STREAM.MSG.GET."+bus.StreamOutcomes, "$JS.API.STREAM.MSG.GET."+bus.StreamDead)
	// query traces items.
	for _, stream := range []string{bus.StreamOutcomes, bus.StreamDead, bus.StreamAttempts} {
		g.Query = append(g.Query, "$JS.API.STREAM.INFO."+stream, "$JS.API.STREAM.MSG.GET."+stream)
	}
	for _, list := range []*[]string{&g.Setup, &g.Ingest, &g.Analyzer, &g.Query} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return g
}

// follow returns the subjects that ephemeral consumers of a stream need.
func follow(stream string) []string {
	return []string{
		"$JS.API.STREAM.INFO." + stream, "$JS.API.CONSUMER.CREATE." + stream + ".>", "$JS.API.CONSUMER.INFO." + stream + ".*",
		"$JS.API.CONSUMER.MSG.NEXT." + stream + ".*", "$JS.API.CONSUMER.DELETE." + stream + ".*",
	}
}

// consume returns the subjects that a durable consumer of a stream needs.
func consume(stream, consumer string, durables ...bus.Durable) []string {
	subjects := []string{
		"assay.dead." + consumer,
		bus.AttemptSubjects(consumer), "$JS.API.STREAM.MSG.GET." + bus.StreamAttempts,
		// The consumer removes messages that remain after a crash of the server.
		"$JS.API.STREAM.MSG.GET." + stream, "$JS.API.STREAM.MSG.DELETE." + stream,
	}
	for _, durable := range durables {
		name, filtered := stream+"."+durable.Name, ""
		if durable.Filter != "" {
			filtered = ".>" // the subject of the create request ends with the filter
		}
		subjects = append(subjects,
			"$JS.API.CONSUMER.INFO."+name, "$JS.API.CONSUMER.CREATE."+name+filtered,
			"$JS.API.CONSUMER.DELETE."+name, // to recreate it after the clock was stepped back
			"$JS.API.CONSUMER.MSG.NEXT."+name, "$JS.ACK."+name+".>")
	}
	return subjects
}

// natsConfiguration returns the configuration of the NATS server.
func natsConfiguration(areas []area.Area) ([]byte, error) {
	parsed, err := template.New("nats.conf").Parse(natsTemplate)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = parsed.Execute(&text, NATSGrants(areas))
	return text.Bytes(), err
}
