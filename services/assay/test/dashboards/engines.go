package dashboards

// engines shows the embedded engines of assay serve.
func engines() Dashboard {
	return Dashboard{
		UID: "engines", Title: "Assay: engines", Description: `The embedded engines of "assay serve", its data folder and its streams.`,
		Variables: []Variable{{"instance", "Instance", "label_values(assay_engine_disk_bytes, instance)"}},
		Rows: []Row{
			{"Now", []Panel{
				number("Free disk", "bytes", `min(assay_disk_free_bytes{instance="$instance"})`, 0),
				number("Used disk", "percentunit", `1 - min(assay_disk_free_bytes{instance="$instance"} / assay_disk_size_bytes)`, 0.9),
				number("Data folder", "bytes", `sum(assay_engine_disk_bytes{instance="$instance"})`, 0),
				number("Failing readiness checks", "short", `sum(1 - assay_ready{instance="$instance"})`, 1),
				number("Memory", "bytes", `process_resident_memory_bytes{instance="$instance"}`, 0),
			}},
			{"Disk", []Panel{
				stacked(graph("Data by engine", "bytes", `assay_engine_disk_bytes{instance="$instance"}`, "{{engine}}")),
				graph("Journals", "bytes", `assay_engine_journal_bytes{instance="$instance"}`, "{{engine}}"),
				graph("Free disk", "bytes", `assay_disk_free_bytes{instance="$instance"}`, "free"),
			}},
			{"Streams", []Panel{
				stacked(graph("Bytes", "bytes", `max by (stream) (assay_stream_bytes{instance="$instance"})`, "{{stream}}")),
				stacked(graph("Messages", "short", `max by (stream) (assay_stream_messages{instance="$instance"})`, "{{stream}}")),
				graph("Limits", "bytes", `max by (stream) (assay_stream_limit_bytes{instance="$instance"}) > 0`, "{{stream}}"),
				graph("Events published per second", "ops", `sum by (type, result) (rate(assay_events_published_total{instance="$instance"}[$__rate_interval]))`, "{{type}} {{result}}"),
			}},
			{"Process", []Panel{
				graph("CPU", "short", `rate(process_cpu_seconds_total{instance="$instance"}[$__rate_interval])`, "processors"),
				{
					Title: "Memory", Unit: "bytes",
					Queries: []Query{
						{`process_resident_memory_bytes{instance="$instance"}`, "resident"}, {`go_memstats_heap_inuse_bytes{instance="$instance"}`, "heap"},
					},
				},
				graph("Open file descriptors", "short", `process_open_fds{instance="$instance"}`, "open"),
			}},
		},
	}
}
