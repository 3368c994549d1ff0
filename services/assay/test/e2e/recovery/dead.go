package recovery

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// replayAfterAnOutage: files that exhausted their attempts while S3 was down are FAILED; a replay by filter completes
// them after S3 has recovered, and their dead letters disappear. A dry run before the replay and a second replay after it
// change nothing.
func replayAfterAnOutage(t *testing.T, start system.Starter) {
	const files = 3
	c := start(t, system.NoSweep, "ASSAY_ATTEMPTS=1")
	ingest := c.Service(t, "ingest")
	c.Front(t, ingest, c.Service(t, "query"))
	api := c.Client(t, system.NewOwner())
	text := system.RandomText(311, 100)
	var ids []string
	for i := range files {
		ids = append(ids, system.UploadMultipart(t, api, fmt.Sprint(i), "text/plain", []byte(text)).FileID)
	}
	c.S3Engine.Kill(t)
	c.Service(t, "analyzer")
	for _, id := range ids {
		if file := system.Await(t, api, id); file.Status != client.Failed {
			t.Fatalf("without S3, the file is %s, want FAILED", system.JSON(file))
		}
		system.DeadLetters(t, system.OperatorClient(t, ingest.Operator), id, 1)
	}
	c.S3Engine.Start(t)

	filter := []string{"--consumer", "analyzer-textfile", "--class", "unavailable", "--from", "1h"}
	dry := system.Dead(t, ingest.Operator, append([]string{"replay", "--dry-run"}, filter...)...)
	for _, id := range ids {
		if file := system.Await(t, api, id); file.Status != client.Failed || !strings.Contains(dry, id) {
			t.Errorf("after a dry run that printed %s, the file is %s, want FAILED and its id printed", dry, system.JSON(file))
		}
	}
	if said := system.Dead(t, ingest.Operator, append([]string{"replay", "--max", "1"}, filter...)...); strings.Count(said, "replayed") != 1 || !strings.Contains(said, "There are more") {
		t.Errorf("a replay of one dead letter printed %s, want one replayed and a note that there are more", said)
	}
	system.Dead(t, ingest.Operator, append([]string{"replay", "--rate", "1000"}, filter...)...)
	js := c.JetStream(t)
	want := map[string]int{}
	for _, id := range ids {
		system.CheckResult(t, system.Await(t, api, id), system.Count(text))
		want[id] = len(c.Outcomes(t, js, id))
		if want[id] != 2 {
			t.Errorf("%d outcomes of %s, want one that failed and one that completed", want[id], id)
		}
	}
	if again := system.Dead(t, ingest.Operator, append([]string{"replay"}, filter...)...); again != "" {
		t.Errorf("a replay of completed items printed %s, want nothing", again)
	}
	for _, id := range ids {
		system.CheckResult(t, system.Await(t, api, id), system.Count(text))
		if n := len(c.Outcomes(t, js, id)); n != want[id] {
			t.Errorf("%d outcomes of %s, want %d", n, id, want[id])
		}
	}
}
