package chart

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"helm.sh/helm/v4/pkg/chart/v2/lint"
)

const folder = "../assay"

// example is a file with values in ci/, rendered for an installation or an upgrade.
type example struct {
	name    string
	objects []runtime.Object
}

// examples renders all files in ci/ and decodes the objects.
func examples(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(folder + "/ci/*-values.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("got the files %q, error %v, want at least 6", files, err)
	}
	var all []example
	for _, file := range files {
		values, err := Values(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, upgrade := range []bool{false, true} {
			name := fmt.Sprintf("%s, upgrade %t", strings.TrimSuffix(filepath.Base(file), "-values.yaml"), upgrade)
			all = append(all, example{name, render(t, name, values, Options{Upgrade: upgrade})})
		}
	}
	return all
}

// render renders and decodes the chart, without objects of KEDA: the package scaling decodes them, and takes much longer to
// compile.
func render(t *testing.T, name string, values map[string]any, o Options) []runtime.Object {
	t.Helper()
	o.Dir = folder
	documents, err := Render(values, o)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	documents = slices.DeleteFunc(documents, func(d Document) bool { return bytes.Contains(d.YAML, []byte("apiVersion: keda.sh/")) })
	objects, err := Decode(documents)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return objects
}

// TestChartIsLinted checks that Helm's linter has no message about any example, except that the chart nats is not in
// charts/, from which helm dependency build fetches it.
func TestChartIsLinted(t *testing.T) {
	files, err := filepath.Glob(folder + "/ci/*-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		values, err := Values(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range lint.RunAll(folder, values, "assay").Messages {
			if text := message.Error(); !strings.Contains(text, "missing these dependencies: nats") {
				t.Errorf("%s: %s", file, text)
			}
		}
	}
}

// TestExamplesAreDecoded checks that every object of every example has the fields of its type only, and a name of its own.
func TestExamplesAreDecoded(t *testing.T) {
	for _, e := range examples(t) {
		seen := map[string]bool{}
		for _, object := range e.objects {
			name := fmt.Sprintf("%s/%s", object.GetObjectKind().GroupVersionKind().Kind, meta(t, object).GetName())
			if seen[name] {
				t.Errorf("%s: got two objects %s", e.name, name)
			}
			seen[name] = true
		}
		if len(seen) < 5 {
			t.Errorf("%s: got %d objects, want at least 5", e.name, len(seen))
		}
	}
}

func meta(t *testing.T, object runtime.Object) metav1.Object {
	t.Helper()
	found, ok := object.(metav1.Object)
	if !ok {
		t.Fatalf("%T has no metadata", object)
	}
	return found
}

// workload is an object with Pods.
type workload struct {
	name, program string
	kind          string
	selector      map[string]string // nil for Jobs and Pods
	labels        map[string]string // of the Pods
	annotations   map[string]string // of the object
	spec          corev1.PodSpec
}

// workloads returns the objects with Pods.
func workloads(objects []runtime.Object) (all []workload) {
	for _, object := range objects {
		var w workload
		switch o := object.(type) {
		case *appsv1.Deployment:
			w = workload{o.Name, "", o.Kind, o.Spec.Selector.MatchLabels, o.Spec.Template.Labels, o.Annotations, o.Spec.Template.Spec}
		case *appsv1.StatefulSet:
			w = workload{o.Name, "", o.Kind, o.Spec.Selector.MatchLabels, o.Spec.Template.Labels, o.Annotations, o.Spec.Template.Spec}
		case *batchv1.Job:
			w = workload{o.Name, "", o.Kind, nil, o.Spec.Template.Labels, o.Annotations, o.Spec.Template.Spec}
		case *corev1.Pod:
			w = workload{o.Name, "", o.Kind, nil, o.Labels, o.Annotations, o.Spec}
		default:
			continue
		}
		w.program = w.labels["app.kubernetes.io/component"]
		all = append(all, w)
	}
	return all
}

// each calls check with every workload of every example.
func each(t *testing.T, check func(t *testing.T, w workload)) {
	t.Helper()
	for _, e := range examples(t) {
		found := workloads(e.objects)
		if len(found) == 0 {
			t.Errorf("%s: got no workloads", e.name)
		}
		for _, w := range found {
			t.Run(e.name+" "+w.name, func(t *testing.T) { check(t, w) })
		}
	}
}
