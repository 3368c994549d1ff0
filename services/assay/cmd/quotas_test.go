package cmd

import "testing"

// TestQuotasShowUsageOnlyIfItIsCounted checks that the usage of an owner with files is not shown as 0 while it is not counted.
func TestQuotasShowUsageOnlyIfItIsCounted(t *testing.T) {
	p := newPerson(t)
	quotas := func(args ...string) ran {
		return p.run(append(append([]string{"quotas"}, args...), "--data", testDir)...)
	}
	p.upload("before.txt", "one")
	const head = "QUOTA     LIMIT  USED         SET BY\n"
	quotas("show", p.owner).want(t, 0, head+`bytes     none   not counted  settings
items     none   not counted  settings
uploads   none   not counted  settings
requests  none   -            settings
streams   none   -            settings
`, "")
	quotas("show", p.owner, "--json").want(t, 0, `{"ownerId":"`+p.owner+`","set":{},"quotas":{"bytes":0,"items":0,"uploads":0,"requests":0,"streams":0}}`+"\n", "")
	quotas("set", p.owner, "items=10").has(t, 0, "items     10     not counted  operator\n", "")
	p.upload("after.txt", "two")
	quotas("show", p.owner).has(t, 0, "bytes     none   3     settings\nitems     10     1     operator\n", "")
}
