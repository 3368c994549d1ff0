package cmd

import "testing"

// providers runs `assay photo providers …`.
func (p person) providers(args ...string) ran {
	p.Helper()
	return p.run(append(append([]string{"photo", "providers"}, args...), "--data", testDir)...)
}

// TestPhotoProviders checks that changing one setting keeps the others.
func TestPhotoProviders(t *testing.T) {
	p := newPerson(t)
	p.providers("list").has(t, 0, "gemini    disabled  gemini-3.1-flash-image  0 of 2000    $0.00 of $20.00  none\n", "")
	p.providers("set", "seedream", "--daily-budget-micros", "1500000", "--fallback", "local", "--edit-time", "90s").want(t, 0, `provider      seedream
status        disabled
url           https://ark.ap-southeast.bytepluses.com/api/v3
key variable  ASSAY_SEEDREAM_KEY
edits         seedream-4-5-251128, $0.045 each, timeout 90s
price date    2026-11-22
calls         0 of 8 in progress, 0 of 2000 today, at most 60 per minute
cost          $0.00 of $1.50 today
fallback      local, after 10m
etag          "1"
`, "")
	p.providers("set", "seedream", "--fallback", "", "--per-minute", "5", "--json").has(t, 0, `"perMinute":5,"perDay":2000,"dailyBudgetMicros":1500000,"concurrent":8,"analyzeTime":"30s","editTime":"90s","fallback":[],`, "")
	p.providers("set", "seedream", "--per-day", "5", "--if-match", `"1"`).want(t, 1, "", "have changed since they were read")
	p.providers("set", "seedream", "--key-variable", "HOME").want(t, 1, "", "keyVariable is not ")
	p.providers("set", "seedream").want(t, 2, "", "specify at least one setting")
	p.providers("default").want(t, 0, "local\n", "")
	p.providers("default", "stub", "--json").want(t, 0, `{"default":"local"}`+"\n", "")
	p.providers("default", "dall-e").want(t, 1, "", "default ")
	p.providers("check", "gemini").want(t, 1, "", "assay: gemini: PROVIDER_ACCESS_DENIED: the analyzer has no key: set ASSAY_GEMINI_KEY\n")
	p.providers("costs", "--from", "2026-11-01", "--to", "2026-11-02").want(t, 0, "DAY    PROVIDER                  CALLS  COST\ntotal  2026-11-01 to 2026-11-02  0      $0.00\n", "")
	p.providers("costs", "--from", "2026-11-02", "--to", "2026-11-01").want(t, 1, "", "from is after 2026-11-01")
	p.providers("show", "dall-e").want(t, 1, "", "assay: There is no paid provider with this name.\n")
	p.providers("show", "seedream").has(t, 0, "calls         0 of 8 in progress, 0 of 2000 today, at most 5 per minute\n", "")
}
