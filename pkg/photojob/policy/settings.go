// Package policy contains the operators' settings of paid providers, and limits calls to them by
// switches, rate limits, budgets, circuit breakers and suspensions. Ingest writes the settings, and
// analyzers write the state of each provider. Both are documents in the table assay-platform, which all
// processes share.
package policy

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-project/assay/pkg/photojob"
)

// Settings are the operators' settings of one provider. Costs are in millionths of a US dollar.
type Settings struct {
	Enabled       bool     `json:"enabled" doc:"whether jobs are created for this provider and calls are made to it; its fallback processes waiting jobs"`
	BaseURL       string   `json:"baseUrl" maxLength:"2000" doc:"the address of the API"`
	KeyVariable   string   `json:"keyVariable" doc:"the environment variable of the analyzer that contains the API key: ASSAY_GEMINI_KEY or ASSAY_SEEDREAM_KEY, or one that begins with such a name followed by _"`
	AnalyzeModel  string   `json:"analyzeModel,omitempty" maxLength:"100" doc:"the model that describes photos; the local provider does that for seedream"`
	EditModel     string   `json:"editModel" maxLength:"100" doc:"the model that edits photos"`
	AnalyzeMicros int64    `json:"analyzeMicros" minimum:"0" doc:"the maximum cost of one description, in millionths of a US dollar"`
	EditMicros    int64    `json:"editMicros" minimum:"0" doc:"the maximum cost of one edit, in millionths of a US dollar"`
	PriceDate     string   `json:"priceDate" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}$" doc:"when models and prices were last checked against the provider's documentation"`
	PerMinute     int      `json:"perMinute" minimum:"1" doc:"maximum number of calls per minute"`
	PerDay        int      `json:"perDay" minimum:"1" doc:"maximum number of calls per day (UTC)"`
	DailyBudget   int64    `json:"dailyBudgetMicros" minimum:"0" doc:"maximum cost of calls per day (UTC), in millionths of a US dollar"`
	Concurrent    int      `json:"concurrent" minimum:"1" maximum:"1000" doc:"maximum number of concurrent calls of all analyzers together"`
	AnalyzeTime   string   `json:"analyzeTime" example:"30s" doc:"timeout of a description"`
	EditTime      string   `json:"editTime" example:"2m" doc:"timeout of an edit"`
	Fallback      []string `json:"fallback" doc:"the providers that process the jobs of this one while it is disabled or suspended, or after its jobs have waited for fallbackAfter"`
	FallbackAfter string   `json:"fallbackAfter" example:"10m" doc:"how long a job waits for this provider before the next provider in the chain processes it"`
}

// Defaults returns the settings of a provider that operators have not configured, which disable it.
// Models and prices are as of PriceDate.
func Defaults(name string) Settings {
	s := Settings{
		PriceDate: "2026-11-22", PerMinute: 60, PerDay: 2_000, DailyBudget: 20_000_000, Concurrent: 8,
		AnalyzeTime: "30s", EditTime: "2m", FallbackAfter: "10m", Fallback: []string{},
	}
	switch name {
	case photojob.Gemini:
		s.BaseURL, s.KeyVariable = "https://generativelanguage.googleapis.com", "ASSAY_GEMINI_KEY"
		s.AnalyzeModel, s.AnalyzeMicros = "gemini-3.5-flash", 40_000  // for 4,096 tokens and the photo
		s.EditModel, s.EditMicros = "gemini-3.1-flash-image", 101_000 // for a 2K picture; the default is smaller
	case photojob.Seedream:
		s.BaseURL, s.KeyVariable = "https://ark.ap-southeast.bytepluses.com/api/v3", "ASSAY_SEEDREAM_KEY"
		s.EditModel, s.EditMicros = "seedream-4-5-251128", 45_000
	}
	return s
}

// Limits of settings.
const (
	minTime = time.Second
	maxTime = 5 * time.Minute // so that two calls and their preparation fit into one attempt
	maxWait = 24 * time.Hour
)

// Time returns the timeout of a call of a step.
func (s Settings) Time(step string) time.Duration {
	text := s.EditTime
	if step == photojob.StepAnalyze {
		text = s.AnalyzeTime
	}
	d, _ := time.ParseDuration(text) // valid, since Check has accepted it
	return d
}

// WaitTime returns FallbackAfter as a duration. The settings must be valid.
func (s Settings) WaitTime() time.Duration {
	d, _ := time.ParseDuration(s.FallbackAfter)
	return d
}

var keyForms = map[string]*regexp.Regexp{
	photojob.Gemini:   regexp.MustCompile(`^ASSAY_GEMINI_KEY(_[A-Z0-9_]{1,40})?$`),
	photojob.Seedream: regexp.MustCompile(`^ASSAY_SEEDREAM_KEY(_[A-Z0-9_]{1,40})?$`),
}

// Check returns the violations in the settings of a provider. There are none if the settings are valid.
func (s Settings) Check(name string) []photojob.Violation {
	var found []photojob.Violation
	wrong := func(field, format string, args ...any) {
		found = append(found, photojob.Violation{Field: field, Message: fmt.Sprintf(format, args...)})
	}
	if u, err := url.Parse(s.BaseURL); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || strings.HasSuffix(s.BaseURL, "/") {
		wrong("baseUrl", "is not an http or https URL with a host, without a user name, query or trailing slash")
	}
	if form := keyForms[name]; form != nil && !form.MatchString(s.KeyVariable) {
		wrong("keyVariable", "is not %s; set the name of a variable, not the key", form)
	}
	if s.EditModel == "" {
		wrong("editModel", "is missing")
	}
	if name == photojob.Seedream && s.AnalyzeModel != "" {
		wrong("analyzeModel", "is not available for seedream, which cannot describe photos")
	}
	for field, text := range map[string]string{"analyzeTime": s.AnalyzeTime, "editTime": s.EditTime} {
		if d, err := time.ParseDuration(text); err != nil || d < minTime || d > maxTime {
			wrong(field, "is not between %s and %s", minTime, maxTime)
		}
	}
	if d, err := time.ParseDuration(s.FallbackAfter); err != nil || d < minTime || d > maxWait {
		wrong("fallbackAfter", "is not between %s and %s", minTime, maxWait)
	}
	if s.PerMinute < 1 || s.PerDay < 1 || s.Concurrent < 1 || s.DailyBudget < 0 || s.AnalyzeMicros < 0 || s.EditMicros < 0 {
		wrong("perMinute", "limits must be at least 1, costs at least 0")
	}
	for i, other := range s.Fallback {
		if other == name || !slices.Contains(photojob.Providers(), other) || slices.Contains(s.Fallback[:i], other) {
			wrong("fallback", "contains %q, which is not another provider or is listed twice", photojob.ShownProvider(other))
		}
	}
	return found
}
