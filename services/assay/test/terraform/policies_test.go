package terraform

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// defaults are the values of the names in the templates with the default settings, as in deploy/iam.
var defaults = map[string]string{
	"partition": "aws", "region": "*", "account": "*", "queue": "arn:aws:sqs:*:*:assay-notices",
	"files": "assay-files", "temp": "photoeditor-dev-temp", "final": "photoeditor-dev-final",
	"text_analyzer_history": "text-analyzer-history", "sentiment_items_primary": "sentiment-items-primary",
	"sentiment_items_dashboard": "sentiment-items-dashboard", "photoeditor_jobs": "photoeditor-dev-jobs",
	"leanda_ng_nodes": "leanda-ng-dev-nodes", "leanda_ng_files": "leanda-ng-dev-files",
	"leanda_ng_workflow_state": "leanda-ng-dev-workflow-state", "assay_platform": "assay-platform",
}

// TestPoliciesEqualThoseOfTheDefaultNames checks that the templates, with the default names, are the policies of deploy/iam,
// which a test proves sufficient and necessary. Every name in them is one that roles.tf supplies.
func TestPoliciesEqualThoseOfTheDefaultNames(t *testing.T) {
	roles, err := os.ReadFile(filepath.Join(module, "roles.tf"))
	if err != nil {
		t.Fatal(err)
	}
	templates, err := filepath.Glob(filepath.Join(module, "policies", "*", "*.json"))
	if err != nil || len(templates) == 0 {
		t.Fatalf("got %d templates, %v; want some", len(templates), err)
	}
	name := regexp.MustCompile(`\$\{(\w+)\}`)
	for _, path := range templates {
		template, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := name.ReplaceAllStringFunc(string(template), func(reference string) string {
			value, known := defaults[strings.Trim(reference, "${}")]
			if !known {
				t.Errorf("%s refers to %s, which roles.tf does not supply", path, reference)
			}
			return value
		})
		same := strings.Replace(path, filepath.Join(module, "policies"), filepath.Join(module, "..", "iam"), 1)
		want, err := os.ReadFile(same)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s with the default names is\n%s\nwant %s:\n%s", path, got, same, want)
		}
	}
	for _, given := range []string{"partition", "region", "account", "queue"} {
		if !regexp.MustCompile(`(?m)^\s+` + given + `\s+=`).Match(roles) {
			t.Errorf("roles.tf does not supply %s", given)
		}
	}
}
