package dashboards

// system shows all services and areas.
func system() Dashboard {
	return Dashboard{
		UID: "system", Title: "Assay: system", Description: "All services and areas. Each alert has a page in docs/runbooks.",
		Rows: []Row{
			{"Now", []Panel{
				number("Firing alerts", "short", `count(ALERTS{alertname=~"Assay.+", alertstate="firing"}) or vector(0)`, 1),
				number("Items waiting", "short", `sum(max by (area) (assay_backlog_items))`, 0),
				number("Oldest item", "s", `max(assay_backlog_oldest_seconds)`, 600),
				number("Dead letters", "short", `sum(max by (area, reason) (assay_dead_letters))`, 1),
				number("Failed, of all items", "percentunit", `sum(increase(assay_analyses_total{outcome="failed"}[15m])) / sum(increase(assay_analyses_total[15m]))`, 0.05),
				number("Processes", "short", `count(up{job=~"assay-.+"} == 1)`, 0),
			}},
			{"Work", []Panel{
				stacked(graph("Outcomes per minute", "short", `sum by (area, outcome) (rate(assay_analyses_total[$__rate_interval])) * 60`, "{{area}} {{outcome}}")),
				stacked(graph("Items waiting or in progress", "short", `max by (area) (assay_backlog_items)`, "{{area}}")),
				graph("Age of the oldest item", "s", `max by (area) (assay_backlog_oldest_seconds)`, "{{area}}"),
				stacked(graph("In flight", "short", `sum by (area) (assay_work_in_flight{area!=""})`, "{{area}}")),
				stacked(graph("Dead letters", "short", `max by (area, reason) (assay_dead_letters) > 0`, "{{area}} {{reason}}")),
				graph("Attempts per second", "ops", `sum by (outcome) (rate(assay_attempt_duration_seconds_count[$__rate_interval]))`, "{{outcome}}"),
			}},
			{"Requests", []Panel{
				graph("Requests per second", "reqps", `sum by (job) (rate(assay_http_requests_total{route!~"/(healthz|readyz|metrics)"}[$__rate_interval]))`, "{{job}}"),
				graph("Refused and failed requests per second", "reqps", `sum by (job, status) (rate(assay_http_requests_total{status=~"429|5..", route!~"/(healthz|readyz|metrics)"}[$__rate_interval]))`, "{{job}} {{status}}"),
				{
					Title: "Duration of requests, without waits and streams", Unit: "s",
					Queries: []Query{
						{`histogram_quantile(0.5, sum by (le) (rate(assay_http_request_duration_seconds_bucket{route!~".*(events|wait).*|/(healthz|readyz|metrics)"}[$__rate_interval])))`, "p50"},
						{`histogram_quantile(0.99, sum by (le) (rate(assay_http_request_duration_seconds_bucket{route!~".*(events|wait).*|/(healthz|readyz|metrics)"}[$__rate_interval])))`, "p99"},
					},
				},
				graph("Requests in progress", "short", `sum by (job) (assay_http_requests_in_flight)`, "{{job}}"),
				graph("Readers of live events", "short", `sum(assay_live_readers)`, "readers"),
				{
					Title: "Interruptions of live events per minute", Unit: "short",
					Queries: []Query{
						{`sum(rate(assay_live_outages_total[$__rate_interval])) * 60`, "outages"}, {`sum(rate(assay_live_resyncs_total[$__rate_interval])) * 60`, "resyncs"},
					},
				},
			}},
			{"Delivery", []Panel{
				graph("Lag of projections", "s", `max by (projection) (assay_projection_lag_seconds)`, "{{projection}}"),
				stacked(graph("Requests to webhook endpoints per minute", "short", `sum by (status) (rate(assay_webhook_attempts_total[$__rate_interval])) * 60`, "{{status}}")),
				graph("Time to the first request of a delivery, p95", "s", `histogram_quantile(0.95, sum by (le) (rate(assay_webhook_delay_seconds_bucket[$__rate_interval])))`, "p95"),
			}},
			{"Sweeps and streams", []Panel{
				stacked(graph("Findings of sweeps per hour", "short", `sum by (area, found) (increase(assay_sweep_items_total[1h])) > 0`, "{{area}} {{found}}")),
				graph("Time since the last sweep", "s", `time() - max by (area) (assay_sweep_last_run_timestamp_seconds)`, "{{area}}"),
				{
					Title: "Findings of the last sweep", Unit: "short",
					Queries: []Query{
						{`max by (area) (assay_sweep_last_findings)`, "{{area}} found"}, {`max by (area) (assay_sweep_last_failed)`, "{{area}} not repaired"},
						{`max by (area) (assay_sweep_stops)`, "{{area}} stops"},
					},
				},
				graph("Fill of streams", "percentunit", `max by (stream) (assay_stream_fill_ratio)`, "{{stream}}"),
				graph("Messages in streams", "short", `max by (stream) (assay_stream_messages)`, "{{stream}}"),
				graph("Recreated consumers per hour", "short", `sum by (consumer, cause) (increase(assay_consumer_recreated_total[1h])) > 0`, "{{consumer}} {{cause}}"),
			}},
			{"Processes", []Panel{
				graph("Failing readiness checks", "short", `sum by (job, check) (1 - assay_ready) > 0`, "{{job}} {{check}}"),
				graph("CPU", "short", `rate(process_cpu_seconds_total{job=~"assay-.+"}[$__rate_interval])`, "{{job}} {{instance}}"),
				graph("Memory", "bytes", `process_resident_memory_bytes{job=~"assay-.+"}`, "{{job}} {{instance}}"),
				graph("Open file descriptors, share of the limit", "percentunit", `process_open_fds{job=~"assay-.+"} / process_max_fds`, "{{job}} {{instance}}"),
				graph("Goroutines", "short", `go_goroutines{job=~"assay-.+"}`, "{{job}} {{instance}}"),
				graph("Abandoned attempts", "short", `sum by (consumer) (assay_attempts_abandoned) > 0`, "{{consumer}}"),
			}},
		},
	}
}
