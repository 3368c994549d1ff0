package chart

import (
	"os"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// row matches a setting in docs/settings.md.
var row = regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)` \\|")

// settings returns the variables of each program, from docs/settings.md, which a test compares with the programs.
func settings(t *testing.T) map[string]map[string]bool {
	t.Helper()
	content, err := os.ReadFile("../../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string][]string{} // by title
	for _, section := range strings.Split(string(content), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		for _, found := range row.FindAllStringSubmatch(body, -1) {
			sections[title] = append(sections[title], found[1])
		}
	}
	common := "Common to ingest, analyzer and query"
	areas := []string{"Area textfile", "Area feed", "Area photojob", "Area library"}
	exposure := []string{"ASSAY_AUTH", "ASSAY_ALLOW_ANONYMOUS", "ASSAY_PUBLIC_HOSTS", "ASSAY_DRAIN", "ASSAY_LOG_FORMAT", "ASSAY_LOG_LEVEL"}
	all := map[string]map[string]bool{}
	for program, titles := range map[string][]string{
		"ingest": append(areas, common, "ingest"), "analyzer": append(areas, common, "analyzer"), "query": append(areas, common, "query"),
		"setup": append(areas, common, "assay setup"), "gateway": {"assay gateway"},
		"serve": append(areas, "assay serve", common, "ingest", "analyzer", "query"),
	} {
		all[program] = map[string]bool{}
		for _, title := range titles {
			if len(sections[title]) == 0 {
				t.Fatalf("docs/settings.md has no variables under %q", title)
			}
			for _, name := range sections[title] {
				all[program][name] = true
			}
		}
		for _, name := range exposure {
			all[program][name] = true
		}
	}
	for program, names := range map[string][]string{ // as config.Unknown lists them
		"ingest": {"ASSAY_NEWSAPI_KEY"}, "analyzer": {"ASSAY_GEMINI_KEY", "ASSAY_SEEDREAM_KEY"}, "serve": {"ASSAY_NEWSAPI_KEY", "ASSAY_GEMINI_KEY", "ASSAY_SEEDREAM_KEY"},
	} {
		for _, name := range names {
			all[program][name] = true
		}
	}
	all["test"] = map[string]bool{"ASSAY_SERVER": true, "ASSAY_TOKEN": true, "ASSAY_OWNER": true, "ASSAY_DATA_DIR": true}
	return all
}

// unlisted are variables that every program reads and docs/settings.md does not list, and those that examples set for all
// programs.
var unlisted = regexp.MustCompile(`^(OTEL_[A-Z_]+|ASSAY_QUOTAS|ASSAY_SQS_URL)$`)

// secret matches the names of variables with credentials.
var secret = regexp.MustCompile(`SECRET|PASSWORD|_TOKEN$|ACCESS_KEY|_(NEWSAPI|GEMINI|SEEDREAM)_KEY`)

// TestVariablesAreSettings checks that every variable is a setting of its program and is set once, that credentials come
// from Secrets, and that nothing else does.
func TestVariablesAreSettings(t *testing.T) {
	known := settings(t)
	each(t, func(t *testing.T, w workload) {
		c := w.spec.Containers[0]
		seen := map[string]bool{}
		for _, v := range c.Env {
			if seen[v.Name] {
				t.Errorf("%s is set twice", v.Name)
			}
			seen[v.Name] = true
			if !known[w.program][v.Name] && !unlisted.MatchString(v.Name) {
				t.Errorf("%s has the variable %s, which docs/settings.md does not list for it", w.program, v.Name)
			}
			if isSecret := secret.MatchString(v.Name); isSecret != reference(v) || isSecret == (v.Value != "") {
				t.Errorf("got %+v, want a reference to a Secret if and only if it is a credential", v)
			}
		}
		if w.program != "test" && len(seen) < 5 {
			t.Errorf("got the variables %v, want at least 5", seen)
		}
	})
}

// reference reports whether a variable is a key of a Secret.
func reference(v corev1.EnvVar) bool {
	return v.ValueFrom != nil && v.ValueFrom.SecretKeyRef != nil && v.ValueFrom.SecretKeyRef.Name != "" && v.ValueFrom.SecretKeyRef.Key != ""
}

// TestNoSecretsAreCreated checks that the chart contains no credentials: Secrets are created by others.
func TestNoSecretsAreCreated(t *testing.T) {
	for _, e := range examples(t) {
		for _, object := range e.objects {
			if s, ok := object.(*corev1.Secret); ok {
				t.Errorf("%s: got the Secret %s, want none", e.name, s.Name)
			}
		}
	}
}

// TestNoEnvironmentIsWritten checks that the chart sets no names of tables and buckets, which contain an environment.
func TestNoEnvironmentIsWritten(t *testing.T) {
	objects := render(t, "services", map[string]any{"mode": "services", "externalNats": map[string]any{"url": "nats://nats:4222"}}, Options{})
	name := regexp.MustCompile(`_(TABLE|BUCKET)$|^ASSAY_(ENV|SQS_URL)$|^LEANDA_`)
	for _, w := range workloads(objects) {
		for _, v := range w.spec.Containers[0].Env {
			if name.MatchString(v.Name) {
				t.Errorf("%s: got %s=%s, want the default of the program", w.name, v.Name, v.Value)
			}
		}
	}
}
