package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestKustomizeReadsTheOutput builds the example in deploy/helm/kustomize from the output of the command template.
func TestKustomizeReadsTheOutput(t *testing.T) {
	values, err := Values(folder + "/ci/external-nats-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := Render(values, Options{Dir: folder})
	if err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	if err := Write(&output, documents); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(output.String(), "helm.sh/hook: test") {
		t.Error("the output contains the test of helm test")
	}
	overlay, err := os.ReadFile("../kustomize/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := filesys.MakeFsInMemory()
	for name, content := range map[string]string{"assay.yaml": output.String(), "kustomization.yaml": string(overlay)} {
		if err := files.WriteFile(filepath.Join("/overlay", name), []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, resource := range built.Resources() {
		if namespace := resource.GetNamespace(); namespace != "assay" {
			t.Errorf("got the namespace %q of %s, want assay", namespace, resource.GetName())
		}
		if resource.GetKind() == "Deployment" && resource.GetName() == "assay-analyzer" {
			found++
			if text := resource.MustYaml(); !strings.Contains(text, "replicas: 5") {
				t.Errorf("got %s, want 5 replicas", text)
			}
		}
	}
	if found != 1 {
		t.Errorf("got %d Deployments assay-analyzer, want 1", found)
	}
}
