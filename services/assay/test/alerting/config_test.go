package alerting

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// profile is the profile of docker-compose.yml with the programs that observe the services.
const profile = "observability"

// composed is a service of docker-compose.yml.
type composed struct {
	Profiles    []string
	Image       string
	Volumes     []string
	Environment map[string]string
	DependsOn   map[string]any `yaml:"depends_on"`
}

var composeVariable = regexp.MustCompile(`\$\{\w+(?::-([^}]*))?\}`)

// readYAML reads a file of the repository, with the default values of variables.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(system.Repository(t, path))
	if err == nil {
		err = yaml.Unmarshal(composeVariable.ReplaceAll(text, []byte("$1")), into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestProfileIsConsistent checks that the programs of the profile start only with it, have images of one version and
// mount files that exist, that Prometheus scrapes the operator addresses of all services, and that the services send
// traces to the collector, and the collector to Tempo.
func TestProfileIsConsistent(t *testing.T) {
	var compose struct{ Services map[string]composed }
	readYAML(t, "docker-compose.yml", &compose)
	observers := []string{"collector", "tempo", "prometheus", "grafana"}
	for name, service := range compose.Services {
		observes := slices.Contains(observers, name)
		if slices.Contains(service.Profiles, profile) != observes {
			t.Errorf("%s has the profiles %v; want %s for %v only", name, service.Profiles, profile, observers)
		}
		if !observes {
			for _, other := range observers {
				if _, depends := service.DependsOn[other]; depends {
					t.Errorf("%s depends on %s, want it to start without the profile", name, other)
				}
			}
			continue
		}
		if _, version, _ := strings.Cut(service.Image, ":"); !strings.Contains(version, ".") {
			t.Errorf("%s has the image %s, want a version", name, service.Image)
		}
		for _, volume := range service.Volumes {
			path, _, _ := strings.Cut(volume, ":")
			if _, err := os.Stat(system.Repository(t, path)); strings.HasPrefix(path, "./") && err != nil {
				t.Errorf("%s mounts %s: %v", name, path, err)
			}
		}
	}

	var prometheus struct {
		ScrapeConfigs []struct {
			Job    string                       `yaml:"job_name"`
			Static []struct{ Targets []string } `yaml:"static_configs"`
			DNS    []struct {
				Names []string
				Port  string
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, "deploy/observability/prometheus/prometheus.yml", &prometheus)
	scraped := map[string]bool{}
	for _, job := range prometheus.ScrapeConfigs {
		service := strings.TrimPrefix(job.Job, "assay-")
		for _, static := range job.Static {
			for _, target := range static.Targets {
				scraped[target] = true
			}
		}
		for _, dns := range job.DNS {
			for _, name := range dns.Names {
				scraped[name+":"+dns.Port] = true
			}
		}
		if want := service + compose.Services[service].Environment["ASSAY_OPERATOR_ADDR"]; !scraped[want] {
			t.Errorf("the job %s does not scrape %s", job.Job, want)
		}
	}
	for name, service := range compose.Services {
		if addr := service.Environment["ASSAY_OPERATOR_ADDR"]; addr != "" && !scraped[name+addr] {
			t.Errorf("no job scrapes the operator address of %s", name)
		}
	}

	var collector struct {
		Receivers struct {
			OTLP struct {
				Protocols struct{ HTTP struct{ Endpoint string } }
			}
		}
		Exporters map[string]struct{ Endpoint string }
	}
	readYAML(t, "deploy/observability/collector.yml", &collector)
	settings, err := os.ReadFile(system.Repository(t, "deploy/observability/compose.env"))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(collector.Receivers.OTLP.Protocols.HTTP.Endpoint, ":")
	if want := "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:" + port + "\n"; !strings.Contains(string(settings), want) {
		t.Errorf("compose.env is %s, want %s", settings, want)
	}
	if got := collector.Exporters["otlp_grpc"].Endpoint; got != "tempo:4317" {
		t.Errorf("the collector sends traces to %q, want tempo:4317", got)
	}
}
