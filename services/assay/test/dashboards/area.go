package dashboards

// area shows one area, which a variable selects.
func area() Dashboard {
	return Dashboard{
		UID: "area", Title: "Assay: area", Description: "One area: its outcomes, backlog, attempts, dead letters and sweeps.",
		Variables: []Variable{{"area", "Area", "label_values(assay_backlog_items, area)"}},
		Rows: []Row{
			{"Now", []Panel{
				number("Items waiting", "short", `max(assay_backlog_items{area="$area"})`, 0),
				number("Oldest item", "s", `max(assay_backlog_oldest_seconds{area="$area"})`, 600),
				number("In flight", "short", `sum(assay_work_in_flight{area="$area"})`, 0),
				number("Outcomes per minute", "short", `sum(rate(assay_analyses_total{area="$area"}[5m])) * 60`, 0),
				number("Failed, of all items", "percentunit", `sum(increase(assay_analyses_total{area="$area", outcome="failed"}[15m])) / sum(increase(assay_analyses_total{area="$area"}[15m]))`, 0.05),
				number("Dead letters", "short", `sum(max by (reason) (assay_dead_letters{area="$area"}))`, 1),
			}},
			{"Items", []Panel{
				stacked(graph("Outcomes per minute", "short", `sum by (outcome) (rate(assay_analyses_total{area="$area"}[$__rate_interval])) * 60`, "{{outcome}}")),
				graph("Items waiting or in progress", "short", `max(assay_backlog_items{area="$area"})`, "items"),
				graph("Age of the oldest item", "s", `max(assay_backlog_oldest_seconds{area="$area"})`, "oldest"),
			}},
			{"Attempts", []Panel{
				stacked(graph("In flight", "short", `sum by (consumer) (assay_work_in_flight{area="$area"})`, "{{consumer}}")),
				stacked(graph("Attempts per minute", "short", `sum by (consumer, outcome) (rate(assay_attempt_duration_seconds_count{area="$area"}[$__rate_interval])) * 60`, "{{consumer}} {{outcome}}")),
				{
					Title: "Duration of attempts", Unit: "s",
					Queries: []Query{
						{`histogram_quantile(0.5, sum by (consumer, le) (rate(assay_attempt_duration_seconds_bucket{area="$area"}[$__rate_interval])))`, "{{consumer}} p50"},
						{`histogram_quantile(0.95, sum by (consumer, le) (rate(assay_attempt_duration_seconds_bucket{area="$area"}[$__rate_interval])))`, "{{consumer}} p95"},
					},
				},
			}},
			{"Faults", []Panel{
				stacked(graph("Dead letters", "short", `max by (reason) (assay_dead_letters{area="$area"})`, "{{reason}}")),
				stacked(graph("Findings of sweeps per hour", "short", `sum by (found, repaired) (increase(assay_sweep_items_total{area="$area"}[1h])) > 0`, "{{found}} repaired={{repaired}}")),
				graph("Abandoned attempts", "short", `sum by (consumer) (assay_attempts_abandoned{area="$area"})`, "{{consumer}}"),
			}},
		},
	}
}
