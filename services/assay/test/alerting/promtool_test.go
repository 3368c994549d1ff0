package alerting

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

const rulesFile = "deploy/observability/prometheus/rules.yml"

// promtool returns the path of promtool, which .ci/tools builds from its Go module.
var promtool = sync.OnceValues(func() (string, error) {
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	tools := exec.Command(filepath.Join(root, "../../../../.ci/tools"), "promtool")
	tools.Stderr = os.Stderr
	dir, err := tools.Output()
	if err != nil {
		return "", fmt.Errorf("cannot build promtool: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "promtool"), nil
})

// rule is an alert of the rules file.
type rule struct {
	Alert, Expr string
}

// rules returns all alerts.
func rules(t *testing.T) []rule {
	t.Helper()
	text, err := os.ReadFile(system.Repository(t, rulesFile))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 10 {
		t.Fatalf("%s contains %d alerts, want all", rulesFile, len(all))
	}
	return all
}

var metricName = regexp.MustCompile(`\b(assay|go|process)_[a-z0-9_]+\b|\bup\b`)

// series is a series in the input of promtool.
type series struct {
	Series string `yaml:"series"`
	Values string `yaml:"values"`
}

// fires checks that exactly the wanted alerts fire while the recording is replayed and continued for a time.
func (r *recording) fires(t *testing.T, more time.Duration, want ...string) {
	t.Helper()
	used := map[string]bool{}
	for _, rule := range rules(t) {
		for _, name := range metricName.FindAllString(rule.Expr, -1) {
			used[name] = true
		}
	}
	var input []series
	for _, s := range r.all() {
		name, _, _ := strings.Cut(s, "{")
		if used[name] {
			input = append(input, series{s, r.values(s, int(more/r.every))})
		}
	}
	length := time.Duration(r.rounds[len(r.rounds)-1].at)*r.every + more
	type expected struct {
		Labels string  `yaml:"labels"`
		Value  float64 `yaml:"value"`
	}
	alerts := []expected{}
	slices.Sort(want)
	for _, name := range want {
		alerts = append(alerts, expected{fmt.Sprintf("{alertname=%q}", name), 1})
	}
	test, err := yaml.Marshal(map[string]any{
		"rule_files": []string{system.Repository(t, rulesFile)}, "evaluation_interval": "15s",
		"tests": []any{map[string]any{
			"name": t.Name(), "interval": r.every.String(), "start_timestamp": r.began.Unix(), "input_series": input,
			"promql_expr_test": []any{map[string]any{
				"expr":      fmt.Sprintf(`group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[%s]))`, length+time.Minute),
				"eval_time": length.Truncate(15 * time.Second).String(), "exp_samples": alerts,
			}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "test.yml")
	if err := os.WriteFile(file, test, 0o600); err != nil {
		t.Fatal(err)
	}
	tool, err := promtool()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	run := exec.CommandContext(t.Context(), tool, "test", "rules", file)
	run.Stdout, run.Stderr = &out, &out
	if err := run.Run(); err != nil {
		t.Errorf("want exactly the alerts %v; promtool: %v\n%s", want, err, out.String())
	}
}
