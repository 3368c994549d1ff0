package uploads

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// TestKeysSurviveKill: a repeated call after kill -9 returns the first file.
func TestKeysSurviveKill(t *testing.T) {
	t.Parallel()
	s := system.StartServer(t, t.TempDir(), system.ShortLease)
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(52, 100)
	reservation := client.Reservation{FileName: "a.txt", Size: int64(len(text)), ContentType: "text/plain", Key: "kept"}
	reserved, err := c.Reserve(system.Within(t), reservation)
	if err != nil {
		t.Fatal(err)
	}
	posted, err := c.PostFile(system.Within(t), client.Posted{FileName: "b.txt", Content: strings.NewReader(text), Key: "kept too"})
	if err != nil {
		t.Fatal(err)
	}
	s.Program.Kill(t)
	s.Restart(t)
	again, err := c.Reserve(system.Within(t), reservation)
	if err != nil || again.FileID != reserved.FileID {
		t.Errorf("the repeated call returned %s, %v; want %s", again.FileID, err, reserved.FileID)
	}
	if status, body := system.Put(t, again.Upload, text, nil); status != http.StatusOK {
		t.Fatalf("PUT returned %d %s, want 200", status, body)
	}
	repeat, err := c.PostFile(system.Within(t), client.Posted{FileName: "b.txt", Content: strings.NewReader(text), Key: "kept too"})
	if err != nil || repeat.FileID != posted.FileID {
		t.Errorf("the repeated call returned %s, %v; want %s", repeat.FileID, err, posted.FileID)
	}
	for _, id := range []string{again.FileID, repeat.FileID} {
		system.CheckResult(t, system.Await(t, c, id), system.Count(text))
		if outcomes := s.Outcomes(t, s.JetStream(t), id); len(outcomes) != 1 {
			t.Errorf("got outcomes %v, want one", outcomes)
		}
	}
}
