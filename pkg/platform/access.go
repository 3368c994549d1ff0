package platform

import (
	"slices"
	"strings"

	"github.com/assay-project/assay/pkg/area"
)

// grant allows calls, separated by spaces, on the rows of partitions whose keys match the patterns; without patterns, on all rows.
type grant struct {
	sid, calls string
	keys       []string
}

// accepting is what a program needs to accept API keys and sessions.
var accepting = []grant{
	{"Credentials", "GetItem", []string{Keys, Secrets}},
	{"KeyUses", "PutItem", []string{KeyUses}},
}

var ingest = []grant{
	{"PlatformCheck", "DescribeTable", nil},
	{"FeedSources", "GetItem Query PutItem", []string{FeedSources, FeedAlerts}},
	{"PhotoProviders", "GetItem PutItem", []string{PhotoProviders}},
	{"PhotoStates", "GetItem", []string{PhotoStates}},
	{"PhotoKeys", "GetItem PutItem", []string{PhotoKeys}},
	{"LibraryKeys", "GetItem PutItem", []string{LibraryKeys}},
	{"Keys", "Query PutItem", []string{Keys}},
	{"KeyUsesList", "Query", []string{KeyUses}},
	{"Secrets", "PutItem", []string{Secrets}},
	{"QuotaLimits", "GetItem Query PutItem", []string{QuotaLimits}},
	{"QuotaUse", "GetItem PutItem UpdateItem DeleteItem", []string{QuotaOwners, Quota + "*"}},
	{"Withdrawn", "GetItem PutItem", []string{Withdrawn}},
	{"EndpointHealth", "GetItem", []string{EndpointHealth + "*"}},
	{"EndpointItems", "PutItem", []string{EndpointItems + "*"}},
	{"EndpointKeys", "GetItem PutItem", []string{EndpointKeys}},
	{"Tags", "GetItem PutItem UpdateItem DeleteItem", []string{Tags + "*"}},
	{"Documents", "GetItem Query PutItem DeleteItem", []string{Endpoints + "*", Searches + "*", Rules + "*"}},
	{"RuleLogs", "GetItem PutItem DeleteItem", []string{RuleLogs + "*"}},
	{"Matches", "DeleteItem", []string{Matches + "*"}},
}

var analyzer = []grant{
	{"PhotoProviders", "GetItem", []string{PhotoProviders}},
	{"FeedSimilar", "UpdateItem", []string{FeedSimilar + "*"}},
	{"PhotoStates", "GetItem PutItem", []string{PhotoStates}},
	{"SweepReports", "GetItem PutItem", []string{Sweeps}},
	{"QuotaUse", "GetItem BatchGetItem Query PutItem UpdateItem DeleteItem", []string{QuotaOwners, Quota + "*"}},
	{"Tags", "GetItem Query UpdateItem DeleteItem", []string{Tags + "*"}},
	{"Gone", "DeleteItem", []string{Matches + "*", RuleLogs + "*"}},
}

var query = []grant{
	{"FeedAlerts", "GetItem Query", []string{FeedAlerts}},
	{"FeedAlertStates", "GetItem Query PutItem", []string{FeedAlertStates}},
	{"PhotoKeys", "GetItem", []string{PhotoKeys}},
	{"LibraryKeys", "GetItem", []string{LibraryKeys}},
	{"SweepReports", "Query", []string{Sweeps}},
	{"QuotaLimits", "Query", []string{QuotaLimits}},
	{"QuotaUse", "GetItem", []string{Quota + "*"}},
	{"Checkpoints", "Query UpdateItem", []string{Checkpoints + "*"}},
	{"Endpoints", "GetItem Query", []string{Endpoints + "*"}},
	{"EndpointHealth", "GetItem Query PutItem", []string{EndpointHealth + "*"}},
	{"EndpointItems", "GetItem", []string{EndpointItems + "*"}},
	{"EndpointKeys", "GetItem", []string{EndpointKeys}},
	{"Deliveries", "GetItem BatchGetItem Query PutItem DeleteItem", []string{Deliveries + "*", Pending + "*"}},
	{"Tags", "BatchGetItem Query", []string{Tags + "*"}},
	{"Searches", "GetItem Query", []string{Searches + "*"}},
	{"Rules", "GetItem Query", []string{Rules + "*"}},
	{"RuleLogs", "GetItem", []string{RuleLogs + "*"}},
	{"Matches", "GetItem PutItem", []string{Matches + "*"}},
}

var setup = []grant{
	{"FirstKey", "Query PutItem", []string{Keys}},
	{"NewerRows", "Scan", nil}, // upgrade-check counts rows of newer formats
}

// Storage describes the table, and the access of each program.
func Storage(cfg Config) area.Storage {
	rows := area.Table(cfg.Table)
	return area.Storage{Tables: tables(cfg), Access: map[area.Program][]area.Statement{
		area.Ingest: allowed(rows, accepting, ingest), area.Analyzer: allowed(rows, accepting, analyzer), area.Query: allowed(rows, accepting, query),
		area.Setup: allowed(rows, setup),
	}}
}

func allowed(rows string, grants ...[]grant) []area.Statement {
	var all []area.Statement
	for _, g := range slices.Concat(grants...) {
		var actions []string
		for call := range strings.FieldsSeq(g.calls) {
			actions = append(actions, "dynamodb:"+call)
		}
		s := area.Allow(g.sid, actions, rows)
		if len(g.keys) > 0 {
			s = s.LeadingKeys(g.keys...)
		}
		all = append(all, s)
	}
	return all
}
