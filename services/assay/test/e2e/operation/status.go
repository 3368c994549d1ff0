package operation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// operatorsSeeTheWork: one address shows operators the queued and finished work, the state of the backends,
// and the findings of a sweep that they start.
func operatorsSeeTheWork(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := system.RandomText(7, 200)
	system.CheckResult(t, system.Await(t, c, system.UploadMultipart(t, c, "status.txt", "text/plain", []byte(text)).FileID), system.Count(text))
	operator := system.System{HTTP: s.Operator}
	var status struct {
		Areas []struct {
			Name    string
			Minutes []struct{ Completed int }
		}
		Dependencies []struct {
			Name string
			OK   bool
		}
		Problems []string
	}
	system.Eventually(t, func() error { // query receives outcomes asynchronously
		ask(t, operator, http.MethodGet, "/v1/status", "", &status)
		for _, area := range status.Areas {
			for _, minute := range area.Minutes {
				if area.Name == "textfile" && minute.Completed > 0 {
					return nil
				}
			}
		}
		return fmt.Errorf("the areas are %+v, want a completed text file", status.Areas)
	})
	if len(status.Areas) < 4 || len(status.Areas[0].Minutes) != 60 || len(status.Problems) > 0 {
		t.Errorf("the areas are %+v, the problems %q; want 4 areas, 60 minutes and no problems", status.Areas, status.Problems)
	}
	responds := map[string]bool{}
	for _, d := range status.Dependencies {
		responds[d.Name] = d.OK
	}
	if !responds["nats"] || !responds["s3"] || !responds["dynamodb"] {
		t.Errorf("the dependencies are %+v, want nats, s3 and dynamodb responding", status.Dependencies)
	}

	began := time.Now()
	var swept struct {
		Done, DryRun bool
		Read         int
	}
	ask(t, operator, http.MethodPost, "/v1/sweeps", `{"dryRun":true}`, &swept)
	if !swept.DryRun || swept.Done == (swept.Read == 0) {
		t.Errorf("the sweep returned %+v, want a dry run that is done only if it read items", swept)
	}
	system.Eventually(t, func() error { // a long sweep continues after the response
		var sweeps struct {
			Areas []struct {
				Name string
				Last struct {
					At   time.Time
					Read int
				}
			}
		}
		ask(t, operator, http.MethodGet, "/v1/sweeps", "", &sweeps)
		read, ended := 0, 0
		for _, area := range sweeps.Areas {
			if !area.Last.At.Before(began.Truncate(time.Millisecond)) {
				ended, read = ended+1, read+area.Last.Read
			}
		}
		if ended < 4 || read == 0 {
			return fmt.Errorf("the last sweeps are %+v, want new ones of all areas", sweeps.Areas)
		}
		return nil
	})
	if status, body := system.Get(t, s.HTTP+"/v1/status"); status != http.StatusNotFound {
		t.Errorf("the status at the public address: %d %s, want 404", status, body)
	}
}

// ask makes a call, which must return 200, and decodes the response into v.
func ask(t *testing.T, s system.System, method, path, body string, v any) {
	t.Helper()
	resp, text := s.Ask(t, method, path, map[string]string{"Content-Type": "application/json"}, body)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %d %s, want 200", method, path, resp.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}
