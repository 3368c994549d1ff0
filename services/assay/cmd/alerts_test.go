package cmd

import (
	"strings"
	"testing"
)

// TestAlerts adds, changes, lists, shows and removes an alert.
func TestAlerts(t *testing.T) {
	p := newPerson(t)
	alerts := func(args ...string) ran {
		return p.run(append(append([]string{"alerts"}, args...), "--data", testDir)...)
	}
	alerts("list").want(t, 0, "", "No alerts yet")
	alerts("set", "busy", "--tag", "solar").want(t, 2, "", "there is no alert busy; to add it, set --kind")
	alerts("set", "busy", "--kind", "volume", "--tag", "solar", "--enabled=false").want(t, 0, `alert           busy
kind            volume
items of        tag solar
window          30m
fires at        3 times the usual number, at least 20 items
resolves below  2.4 times the usual number
fires after     0s
resolves after  5m
enabled         no
etag            "1"
`, "")
	alerts("set", "busy", "--threshold", "0.5").want(t, 1, "", "threshold is not a factor above 1")
	alerts("set", "busy", "--threshold", "5", "--json").want(t, 0, `{"name":"busy","kind":"volume","enabled":false,"tag":"solar","window":"30m","threshold":5,"minItems":20,"resolve":4,`+
		`"fireAfter":"0s","resolveAfter":"5m","etag":"\"2\""}`+"\n", "")
	alerts("set", "busy", "--kind", "silent", "--window", "3h", "--if-match", `"1"`).want(t, 1, "", "has changed since it was read")
	alerts("set", "busy", "--kind", "silent", "--window", "3h").has(t, 0, "fires at        no item in the window, where at least 5 are usual\n", "")
	alerts("list").want(t, 0, "NAME  KIND    STATUS    SINCE  VALUE  FIRES AT  ITEMS OF\nbusy  silent  DISABLED                          tag solar\n", "")
	if shown := alerts("show", "busy"); shown.status != 0 || !strings.Contains(shown.out, "status          DISABLED\n") {
		t.Errorf("show: got %+v, want the status DISABLED", shown)
	}
	alerts("delete", "busy", "--if-match", `"1"`).want(t, 1, "", "has changed since it was read")
	alerts("delete", "busy").want(t, 0, "busy  deleted\n", "")
	alerts("show", "busy").want(t, 1, "", "There is no alert with this name.")
}
