package operation

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestQueryReadsFromDAX: with the endpoint of a cluster, query connects to the cluster with the DAX protocol; while the
// cluster does not respond, the dashboard is still correct. Without an endpoint, query does not use DAX.
func TestQueryReadsFromDAX(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const hello = "\x67J7yne5G" // a CBOR text of 7 characters
	heard := make(chan string, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			first := make([]byte, len(hello))
			if _, err := io.ReadFull(conn, first); err == nil {
				select {
				case heard <- string(first):
				default: // one connection is enough
				}
			}
			conn.Close()
		}
	}()

	c := system.StartCluster(t, system.NoSweep)
	ingest := c.Service(t, "ingest")
	c.Service(t, "analyzer")
	query := c.Service(t, "query", "ASSAY_DAX_ENDPOINT=dax://"+listener.Addr().String())
	c.Front(t, ingest, query)
	select {
	case got := <-heard:
		if got != hello {
			t.Errorf("the cluster received %q, want %q", got, hello)
		}
	case <-system.Within(t).Done():
		t.Fatalf("the cluster received nothing, want %q", hello)
	}
	p := system.NewPosting("The book was good.", system.NewTag())
	c.PostItem(t, p)
	system.Eventually(t, func() error {
		items, err := c.FeedList(system.Within(t), url.Values{"tag": p.MatchedTags})
		if err == nil && !slices.ContainsFunc(items, func(i system.FeedItem) bool { return i.SourceID == p.SourceID }) {
			err = fmt.Errorf("the list contains %v, want %s", items, p.SourceID)
		}
		return err
	})
	if output := query.Output.String(); !strings.Contains(output, "a read from the DAX cluster failed") {
		t.Errorf("the output of query is %s, want a failed read from the DAX cluster", output)
	}

	without := c.Service(t, "query")
	c.Front(t, ingest, without)
	if _, err := c.FeedList(system.Within(t), url.Values{}); err != nil || strings.Contains(without.Output.String(), "DAX") {
		t.Errorf("without an endpoint: %v, %s; want no use of DAX", err, without.Output.String())
	}
	wrong := system.Launch(t, "query", append(c.Env[:len(c.Env):len(c.Env)], "ASSAY_DAX_ENDPOINT=http://127.0.0.1:8111"))
	if status := wrong.End(t); status == 0 || !strings.Contains(wrong.Output.String(), "ASSAY_DAX_ENDPOINT") {
		t.Errorf("with an invalid endpoint: exit status %d: %s, want an error that names ASSAY_DAX_ENDPOINT", status, wrong.Output)
	}
}
