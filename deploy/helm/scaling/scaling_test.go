// Package scaling tests the ScaledObject of the chart with the code of KEDA: its scalers read the gauge of the backlog from
// processes of query or from Prometheus, and its modifiers evaluate the formula.
package scaling

import (
	"context"
	"math"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	"github.com/kedacore/keda/v2/pkg/scaling/cache"
	"github.com/kedacore/keda/v2/pkg/scaling/modifiers"
	apps "k8s.io/api/apps/v1"
	v2 "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/metrics/pkg/apis/external_metrics"

	"github.com/assay-project/assay/deploy/helm/chart"
)

// objects renders an example and decodes all of its objects.
func objects(t *testing.T, example string) []runtime.Object {
	t.Helper()
	values, err := chart.Values("../assay/ci/" + example + "-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := chart.Render(values, chart.Options{Dir: "../assay"})
	if err != nil {
		t.Fatal(err)
	}
	all, err := chart.Decode(documents, keda.AddToScheme)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// scaledObject returns the ScaledObject of an example.
func scaledObject(t *testing.T, example string) *keda.ScaledObject {
	t.Helper()
	for _, object := range objects(t, example) {
		if so, ok := object.(*keda.ScaledObject); ok {
			return so
		}
	}
	t.Fatalf("%s: got no ScaledObject", example)
	return nil
}

// measured is what KEDA reports to the autoscaler of Kubernetes for a ScaledObject: the value, and the target for each
// replica. address replaces the host of a trigger.
func measured(t *testing.T, so *keda.ScaledObject, address string) (value, target float64) {
	t.Helper()
	var metrics []external_metrics.ExternalMetricValue
	var specs []v2.MetricSpec
	triggers := map[string]string{} // by metric
	for i, trigger := range so.Spec.Triggers {
		scaler := scaler(t, so, i, address)
		found, _, err := scaler.GetMetricsAndActivity(context.Background(), trigger.Type)
		if err != nil || len(found) != 1 {
			t.Fatalf("trigger %d: got the metrics %+v, error %v, want one", i, found, err)
		}
		spec := scaler.GetMetricSpecForScaling(context.Background())[0]
		found[0].MetricName = spec.External.Metric.Name
		metrics, specs = append(metrics, found[0]), append(specs, spec)
		pair, err := modifiers.GetPairTriggerAndMetric(so, found[0].MetricName, trigger.Name)
		if err != nil {
			t.Fatal(err)
		}
		for metric, name := range pair {
			triggers[metric] = name
		}
	}
	if !so.IsUsingModifiers() {
		// The autoscaler takes the maximum over the triggers; there must be one.
		if len(metrics) != 1 {
			t.Fatalf("got %d triggers without a formula, want 1", len(metrics))
		}
		return metrics[0].Value.AsApproximateFloat64(), specs[0].External.Target.AverageValue.AsApproximateFloat64()
	}
	formula, err := keda.ValidateAndCompileScalingModifiers(so)
	if err != nil {
		t.Fatal(err)
	}
	combined := modifiers.HandleScalingModifiers(so, metrics, triggers, false, nil, &cache.ScalersCache{CompiledFormula: formula}, logr.Discard())
	if len(combined) != 1 || combined[0].MetricName != keda.CompositeMetricName {
		t.Fatalf("got the metrics %+v, want the result of the formula", combined)
	}
	// The target of the formula is that of its ScaledObject.
	return combined[0].Value.AsApproximateFloat64(), number(t, so.Spec.Advanced.ScalingModifiers.Target)
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	parsed, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// scaler returns KEDA's scaler for a trigger.
func scaler(t *testing.T, so *keda.ScaledObject, i int, address string) scalers.Scaler {
	t.Helper()
	trigger := so.Spec.Triggers[i]
	config := &scalersconfig.ScalerConfig{
		ScalableObjectName: so.Name, ScalableObjectNamespace: "assay", ScalableObjectType: "ScaledObject", GlobalHTTPTimeout: 3 * time.Second,
		TriggerName: trigger.Name, TriggerType: trigger.Type, TriggerIndex: i, MetricType: trigger.MetricType, ScaledObject: so,
		AsMetricSource: so.IsUsingModifiers(), TriggerMetadata: map[string]string{},
	}
	for key, value := range trigger.Metadata {
		config.TriggerMetadata[key] = value
	}
	var s scalers.Scaler
	var err error
	switch trigger.Type {
	case "prometheus":
		config.TriggerMetadata["serverAddress"] = address
		s, err = scalers.NewPrometheusScaler(config)
	case "metrics-api":
		config.TriggerMetadata["url"] = address + "/metrics"
		s, err = scalers.NewMetricsAPIScaler(config, nil)
	default:
		t.Fatalf("got the trigger %q", trigger.Type)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// backlogs are backlogs of the areas.
func backlogs() []backlog {
	return []backlog{
		{"feed": 0, "library": 0, "photojob": 0, "textfile": 0},
		{"feed": 1, "library": 0, "photojob": 0, "textfile": 0},
		{"feed": 31, "library": 32, "photojob": 33, "textfile": 0},
		{"feed": 100, "library": 100, "photojob": 100, "textfile": 100},
		{"feed": 999_983, "library": 7, "photojob": 65_537, "textfile": 12_345},
		{"feed": 0, "library": 20_001, "photojob": 0, "textfile": 1_000_000},
	}
}

// TestKEDAMeasuresTheBacklog checks the value that KEDA's own code reads for the ScaledObject: the sum over the areas ±1,
// however many processes of query report it, both from query and from Prometheus; and the replicas that follow from it.
func TestKEDAMeasuresTheBacklog(t *testing.T) {
	for _, example := range []string{"keda", "observability"} {
		for _, want := range backlogs() {
			so := scaledObject(t, example)
			of := serve(t, want, want, want)
			address := of[0].URL
			if so.Spec.Triggers[0].Type == "prometheus" {
				address = prometheusOf(t, of)
			}
			value, target := measured(t, so, address)
			if math.Abs(value-want.sum()) > 1 {
				t.Errorf("%s, %v: KEDA reads %v, want %v ±1", example, want, value, want.sum())
			}
			if got, replicas := math.Ceil(value/target), math.Ceil(want.sum()/target); math.Abs(got-replicas) > 1 || target < 1 {
				t.Errorf("%s, %v: KEDA asks for %v replicas with %v items each, want %v", example, want, got, target, replicas)
			}
		}
	}
}

// TestKEDAReadsTheLargestBacklog checks that a process of query that has read less, for example because it has just
// started, does not reduce the value from Prometheus.
func TestKEDAReadsTheLargestBacklog(t *testing.T) {
	full, empty := backlog{"feed": 500, "library": 500, "photojob": 0, "textfile": 0}, backlog{"feed": 0, "library": 0, "photojob": 0, "textfile": 0}
	value, _ := measured(t, scaledObject(t, "observability"), prometheusOf(t, serve(t, empty, full)))
	if math.Abs(value-1000) > 1 {
		t.Errorf("KEDA reads %v, want 1000 ±1", value)
	}
}

// TestScaledObjectsAreValid checks the ScaledObjects as the admission webhook of KEDA does.
func TestScaledObjectsAreValid(t *testing.T) {
	for _, example := range []string{"keda", "observability"} {
		so := scaledObject(t, example)
		for name, err := range map[string]error{
			"replicas": keda.CheckReplicaCountBoundsAreValid(so), "fallback": keda.CheckFallbackValid(so), "triggers": keda.ValidateTriggers(so.Spec.Triggers),
		} {
			if err != nil {
				t.Errorf("%s: %s: %v", example, name, err)
			}
		}
	}
}

// TestScaledObjectsHaveTargets checks that the Deployment exists and leaves its replicas to KEDA, and that the URL of the
// triggers is that of query, with a host that query accepts.
func TestScaledObjectsHaveTargets(t *testing.T) {
	for _, example := range []string{"keda", "observability"} {
		so := scaledObject(t, example)
		deployments, services := map[string]*apps.Deployment{}, map[string]*core.Service{}
		for _, object := range objects(t, example) {
			switch o := object.(type) {
			case *apps.Deployment:
				deployments[o.Name] = o
			case *core.Service:
				services[o.Name] = o
			}
		}
		if target := deployments[so.Spec.ScaleTargetRef.Name]; target == nil || target.Name != "assay-analyzer" || target.Spec.Replicas != nil {
			t.Errorf("%s: got the target %+v, want the Deployment assay-analyzer without replicas", example, so.Spec.ScaleTargetRef)
		}
		for _, trigger := range so.Spec.Triggers {
			at, err := url.Parse(trigger.Metadata["url"])
			if err != nil || trigger.Type == "prometheus" {
				continue
			}
			service, _, _ := strings.Cut(at.Hostname(), ".")
			if s := services[service]; s == nil || !slices.ContainsFunc(s.Spec.Ports, func(p core.ServicePort) bool { return strconv.Itoa(int(p.Port)) == at.Port() }) {
				t.Errorf("%s: got the URL %s, want a port of a Service", example, at)
			}
			env := deployments["assay-query"].Spec.Template.Spec.Containers[0].Env
			i := slices.IndexFunc(env, func(v core.EnvVar) bool { return v.Name == "ASSAY_PUBLIC_HOSTS" })
			if !slices.Contains(strings.Split(env[i].Value, ","), at.Hostname()) {
				t.Errorf("%s: query accepts the hosts %s, want %s among them", example, env[i].Value, at.Hostname())
			}
		}
	}
}

// TestFormulaHasAllAreas checks that the formula adds the backlogs of all areas of the product, which docs/metrics.md lists
// as the values of the label area.
func TestFormulaHasAllAreas(t *testing.T) {
	content, err := os.ReadFile("../../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	label := regexp.MustCompile("(?m)^\\| `area` \\|[^|]*`assay_backlog_items`[^|]*\\|([^|]*)\\|").FindStringSubmatch(string(content))
	if label == nil {
		t.Fatal("docs/metrics.md does not list the areas of assay_backlog_items")
	}
	areas := regexp.MustCompile("[a-z]+").FindAllString(label[1], -1)
	if got := strings.Split(scaledObject(t, "keda").Spec.Advanced.ScalingModifiers.Formula, " + "); !slices.Equal(got, areas) {
		t.Errorf("got a formula of %q, want %q", got, areas)
	}
}
