package bus

import (
	"strings"
	"testing"
)

func TestInvalidSettingsAreNamed(t *testing.T) {
	usable := Config{Replicas: 1, WorkMaxMessages: 1, OutcomesMaxAge: duplicateWindow}
	for name, change := range map[string]func(*Config){
		"":                         func(*Config) {},
		"ASSAY_NATS_REPLICAS":      func(c *Config) { c.Replicas = 2 },
		"ASSAY_WORK_MAX_MESSAGES":  func(c *Config) { c.WorkMaxMessages = 0 },
		"ASSAY_WORK_MAX_PER_OWNER": func(c *Config) { c.WorkMaxPerOwner = -1 },
		"ASSAY_OUTCOMES_MAX_AGE":   func(c *Config) { c.OutcomesMaxAge-- },
	} {
		cfg := usable
		change(&cfg)
		if err := cfg.Validate(); (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("setting %q: got error %v, want one that names it, or none if it is empty", name, err)
		}
	}
}
