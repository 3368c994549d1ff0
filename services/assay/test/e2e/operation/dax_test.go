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

// TestQueryReadsFromDAX: query with a cluster's endpoint connects to it
// with the DAX protocol; while the cluster does not respond, the dashboard is
// still correct. Without an endpoint no request is sent.
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
				default: // one is enough
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
			t.Errorf("the cluster received %q", got)
		}
	case <-system.Within(t).Done():
		t.Fatal("the cluster received nothing")
	}
	p := system.NewPosting("The book was good.", system.NewTag())
	c.PostItem(t, p)
	system.Eventually(t, func() error {
		items, err := c.FeedList(system.Within(t), url.Values{"tag": p.MatchedTags})
		if err == nil && !slices.ContainsFunc(items, func(i system.FeedItem) bool { return i.SourceID == p.SourceID }) {
			err = fmt.Errorf("the list has %v", items)
		}
		return err
	})
	if said := query.Output.String(); !strings.Contains(said, "a read from the DAX cluster failed") {
		t.Errorf("no read went to the cluster: %s", said)
	}

	without := c.Service(t, "query")
	c.Front(t, ingest, without)
	if _, err := c.FeedList(system.Within(t), url.Values{}); err != nil || strings.Contains(without.Output.String(), "DAX") {
		t.Errorf("without an endpoint: %v, %s", err, without.Output.String())
	}
	wrong := system.Launch(t, "query", append(c.Env[:len(c.Env):len(c.Env)], "ASSAY_DAX_ENDPOINT=http://127.0.0.1:8111"))
	if status := wrong.End(t); status == 0 || !strings.Contains(wrong.Output.String(), "ASSAY_DAX_ENDPOINT") {
		t.Errorf("with an invalid endpoint, exit status %d: %s", status, wrong.Output)
	}
}
