package dashboards

// feed shows what only the feed has.
func feed() Dashboard {
	return Dashboard{
		UID: "feed", Title: "Assay: feed", Description: "Sources, the projection of the feed's dashboard, and alerts. The dashboard Assay: area shows the items.",
		Rows: []Row{
			{"Sources", []Panel{
				graph("Polls per minute", "short", `sum by (outcome) (rate(assay_source_polls_total[$__rate_interval])) * 60`, "{{outcome}}"),
				stacked(graph("Items per minute", "short", `sum by (outcome) (rate(assay_source_items_total[$__rate_interval])) * 60`, "{{outcome}}")),
				graph("Failing sources: polls per hour", "short", `sum by (source, outcome) (increase(assay_source_polls_total{outcome!~"ok|unchanged"}[1h])) > 0`, "{{source}} {{outcome}}"),
			}},
			{"Projections", []Panel{
				graph("Lag", "s", `max by (projection) (assay_projection_lag_seconds)`, "{{projection}}"),
				graph("Changes per second", "ops", `sum by (projection) (rate(assay_projection_changes_total[$__rate_interval]))`, "{{projection}}"),
				{
					Title: "Lost changes, and changes set aside, per hour", Unit: "short",
					Queries: []Query{
						{`sum by (projection) (increase(assay_projection_gaps_total[1h]))`, "{{projection}} gaps"},
						{`sum by (projection) (increase(assay_projection_poison_total[1h]))`, "{{projection}} set aside"},
					},
				},
			}},
			{"Alerts of the feed", []Panel{
				graph("Firing", "short", `max(assay_feed_alerts_firing)`, "firing"),
				graph("Time since the last evaluation", "s", `time() - max(assay_feed_alerts_evaluated_timestamp_seconds)`, "age"),
				{
					Title: "Events and failures per hour", Unit: "short",
					Queries: []Query{
						{`sum by (state) (increase(assay_feed_alert_changes_total[1h]))`, "{{state}}"}, {`sum(increase(assay_feed_alert_failures_total[1h]))`, "failures"},
					},
				},
			}},
		},
	}
}

// library shows what only the library has.
func library() Dashboard {
	return Dashboard{
		UID: "library", Title: "Assay: library", Description: "Steps by class, and the search index. The dashboard Assay: area shows the items.",
		Rows: []Row{
			{"Steps", []Panel{
				stacked(graph("In flight", "short", `sum by (consumer) (assay_work_in_flight{area="library"})`, "{{consumer}}")),
				graph("Duration, p95", "s", `histogram_quantile(0.95, sum by (consumer, le) (rate(assay_attempt_duration_seconds_bucket{area="library"}[$__rate_interval])))`, "{{consumer}}"),
				stacked(graph("Attempts per minute that did not end a step", "short", `sum by (consumer, outcome) (rate(assay_attempt_duration_seconds_count{area="library", outcome!="done"}[$__rate_interval])) * 60`, "{{consumer}} {{outcome}}")),
			}},
			{"Search", []Panel{
				graph("Changes per second", "ops", `sum by (instance) (rate(assay_search_changes_total[$__rate_interval]))`, "{{instance}}"),
				graph("Last applied event", "none", `max by (instance) (assay_search_sequence)`, "{{instance}}"),
				{
					Title: "Builds and failures per hour", Unit: "short",
					Queries: []Query{
						{`sum(increase(assay_search_builds_total[1h]))`, "builds"}, {`sum(increase(assay_search_failures_total[1h]))`, "failures"},
					},
				},
			}},
		},
	}
}

// photos shows what only photo jobs have.
func photos() Dashboard {
	return Dashboard{
		UID: "photos", Title: "Assay: photos", Description: "Paid providers and renditions. The dashboard Assay: area shows the jobs.",
		Rows: []Row{
			{"Paid providers", []Panel{
				graph("Held", "short", `max by (provider, reason) (assay_photo_provider_held) > 0`, "{{provider}} {{reason}}"),
				stacked(graph("Calls per minute", "short", `sum by (provider, outcome) (rate(assay_photo_call_duration_seconds_count[$__rate_interval])) * 60`, "{{provider}} {{outcome}}")),
				graph("Duration of calls, p95", "s", `histogram_quantile(0.95, sum by (provider, step, le) (rate(assay_photo_call_duration_seconds_bucket[$__rate_interval])))`, "{{provider}} {{step}}"),
				stacked(graph("Maximum cost per hour", "currencyUSD", `sum by (provider) (increase(assay_photo_call_cost_dollars_total[1h]))`, "{{provider}}")),
				number("Maximum cost of the last 24 hours", "currencyUSD", `sum(increase(assay_photo_call_cost_dollars_total[24h]))`, 0),
			}},
			{"Renditions", []Panel{
				graph("Drawn per second", "ops", `sum by (outcome) (rate(assay_photo_rendition_duration_seconds_count[$__rate_interval]))`, "{{outcome}}"),
				graph("Duration, p95", "s", `histogram_quantile(0.95, sum by (le) (rate(assay_photo_rendition_duration_seconds_bucket[$__rate_interval])))`, "p95"),
			}},
		},
	}
}
