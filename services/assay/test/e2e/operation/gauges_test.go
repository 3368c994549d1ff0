package operation

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestGauges: the metrics show a backlog and its age while no analyzer runs, streams, sweeps and the lag of projections, and
// two processes of query report the same. In the status, all numbers of an area count items.
func TestGauges(t *testing.T) {
	t.Parallel()
	c := system.StartCluster(t)
	ingest, first, second := c.Service(t, "ingest"), c.Service(t, "query"), c.Service(t, "query")
	c.Front(t, ingest, first)
	query, other := exporter{"query", first.Operator}, exporter{"the second query", second.Operator}
	for _, area := range []string{"textfile", "feed", "photojob", "library"} {
		label := fmt.Sprintf("area=%q", area)
		for _, name := range []string{"assay_backlog_items", "assay_backlog_oldest_seconds", "assay_sweep_last_run_timestamp_seconds", "assay_sweep_last_findings", "assay_sweep_last_failed", "assay_sweep_stops"} {
			query.equals(t, 0, name, label)
		}
	}
	for _, projection := range []string{"feed", "library"} {
		query.eventually(t, "below 10", func(lag float64) bool { return lag < 10 }, "assay_projection_lag_seconds", fmt.Sprintf("projection=%q", projection))
		query.equals(t, 0, "assay_projection_changes_total", fmt.Sprintf("projection=%q", projection))
	}
	began := float64(time.Now().Unix())
	for _, process := range []exporter{query, other} { // the items below are added to an empty backlog
		process.exceeds(t, began-60, "assay_status_read_timestamp_seconds")
	}

	user := c.Client(t, system.NewOwner())
	for n := range 3 {
		if _, err := user.Upload(system.Within(t), system.Source(fmt.Sprint(n), system.RandomText(uint64(n), 40))); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"a.txt", "b.txt", "c.txt", "damaged.pdf"}
	for _, name := range files {
		addFile(t, user, name)
	}
	for _, process := range []exporter{query, other} {
		process.equals(t, 3, "assay_backlog_items", `area="textfile"`)
		process.equals(t, float64(len(files)), "assay_backlog_items", `area="library"`)
		process.equals(t, 0, "assay_backlog_items", `area="feed"`)
		process.exceeds(t, 1, "assay_backlog_oldest_seconds", `area="textfile"`)
		process.equals(t, 3, "assay_stream_messages", `stream="ASSAY_WORK_TEXTFILE"`)
		process.exceeds(t, 0, "assay_stream_bytes", `stream="ASSAY_WORK_TEXTFILE"`)
		process.exceeds(t, 0, "assay_stream_fill_ratio", `stream="ASSAY_WORK_TEXTFILE"`)
		process.equals(t, 1_000_000*4096, "assay_stream_limit_bytes", `stream="ASSAY_WORK_TEXTFILE"`)
	}
	for _, process := range []exporter{query, other} {
		sum := process.items(t, "library")
		if want := (items{Accepted: len(files), Waiting: len(files)}); sum != want {
			t.Errorf("without an analyzer, the status of %s shows %+v, want %+v", process.name, sum, want)
		}
	}

	// A sweep repairs work whose message was lost.
	if err := c.JetStream(t).DeleteStream(system.Within(t), "ASSAY_WORK_TEXTFILE"); err != nil {
		t.Fatal(err)
	}
	c.SetUp(t)
	system.AfterLease()
	c.Sweep(t)
	query.exceeds(t, began-60, "assay_sweep_last_run_timestamp_seconds", `area="library"`)
	query.equals(t, 3, "assay_sweep_last_findings", `area="textfile"`)
	query.equals(t, 0, "assay_sweep_last_failed", `area="textfile"`)

	analyzer := exporter{"analyzer", c.Service(t, "analyzer", system.NoSweep).Operator}
	for _, process := range []exporter{query, other} {
		system.Eventually(t, func() error {
			sum := process.items(t, "library")
			if sum.Accepted != sum.Completed+sum.Failed+sum.Waiting {
				t.Errorf("the status of %s shows %+v, want as many accepted items as the others together", process.name, sum)
			}
			if want := (items{Accepted: len(files), Completed: len(files) - 1, Failed: 1}); sum != want {
				return fmt.Errorf("the status of %s shows %+v, want %+v", process.name, sum, want)
			}
			return nil
		})
	}
	query.equals(t, 0, "assay_backlog_items", `area="textfile"`)
	query.equals(t, 0, "assay_backlog_items", `area="library"`)
	query.equals(t, 0, "assay_backlog_oldest_seconds", `area="textfile"`)
	query.equals(t, 0, "assay_stream_messages", `stream="ASSAY_WORK_TEXTFILE"`)
	analyzer.equals(t, 3, "assay_analyses_total", `area="textfile"`, `outcome="completed"`)
	analyzer.equals(t, float64(len(files)-1), "assay_analyses_total", `area="library"`, `outcome="completed"`)
	for _, series := range []string{"completed", "failed"} {
		analyzer.equals(t, 0, "assay_analyses_total", `area="feed"`, fmt.Sprintf("outcome=%q", series))
	}
}

// addFile uploads a file to the library.
func addFile(t *testing.T, c *client.Client, name string) {
	t.Helper()
	text, kind := "some text of "+name, "text/plain"
	if filepath.Ext(name) == ".pdf" {
		text, kind = "%PDF-1.7\n"+strings.Repeat("damaged ", 20), "application/pdf"
	}
	if _, err := c.UploadLibraryFile(system.Within(t), client.NewLibraryFile{Name: name, Size: int64(len(text)), ContentType: kind}, system.Source(name, text)); err != nil {
		t.Fatal(err)
	}
}

// items are the numbers of items of an area in the last hour.
type items struct{ Accepted, Completed, Failed, Waiting int }

// items returns the numbers of an area in the status of a process of query.
func (e exporter) items(t *testing.T, name string) (sum items) {
	t.Helper()
	var status struct {
		Areas []struct {
			Name    string
			Waiting int
			Minutes []items
		}
	}
	ask(t, system.System{HTTP: e.operator}, http.MethodGet, "/v1/status", "", &status)
	for _, area := range status.Areas {
		if area.Name != name {
			continue
		}
		sum.Waiting = area.Waiting
		for _, minute := range area.Minutes {
			sum.Accepted, sum.Completed, sum.Failed = sum.Accepted+minute.Accepted, sum.Completed+minute.Completed, sum.Failed+minute.Failed
		}
	}
	return sum
}

// TestEngineMetrics: `assay serve` reports the disk space of its engines and of the data folder.
func TestEngineMetrics(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir())
	serve := exporter{"assay serve", s.Operator}
	for _, engine := range []string{"nats", "s3", "dynamodb"} {
		serve.exceeds(t, 0, "assay_engine_disk_bytes", fmt.Sprintf("engine=%q", engine))
	}
	serve.exceeds(t, 0, "assay_engine_journal_bytes", `engine="dynamodb"`)
	serve.exceeds(t, 0, "assay_disk_free_bytes")
	free, err := serve.value(t, "assay_disk_free_bytes")
	if err != nil {
		t.Fatal(err)
	}
	serve.exceeds(t, free, "assay_disk_size_bytes")
}
