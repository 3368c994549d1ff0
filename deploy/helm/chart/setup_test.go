package chart

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
)

// TestSetupRunsBeforeTheServices checks when the Job with `assay setup` runs: before an installation and each upgrade, but
// with the chart nats, whose servers an installation creates, together with the services.
func TestSetupRunsBeforeTheServices(t *testing.T) {
	external := map[string]any{"mode": "services", "externalNats": map[string]any{"url": "nats://nats:4222"}}
	dependency := map[string]any{"mode": "services", "nats": map[string]any{"enabled": true}, "global": map[string]any{"natsSecret": "assay-nats"}}
	for _, c := range []struct {
		name    string
		values  map[string]any
		upgrade bool
		want    string // name of the Job
		hook    bool
	}{
		{"external, install", external, false, "assay-setup", true},
		{"external, upgrade", external, true, "assay-setup", true},
		{"dependency, install", dependency, false, "assay-setup-install", false},
		{"dependency, upgrade", dependency, true, "assay-setup", true},
	} {
		objects := render(t, c.name, c.values, Options{Upgrade: c.upgrade})
		i := slices.IndexFunc(workloads(objects), func(w workload) bool { return w.program == "setup" })
		if i < 0 {
			t.Fatalf("%s: got no setup", c.name)
		}
		job := workloads(objects)[i]
		if hook := job.annotations["helm.sh/hook"]; job.name != c.want || strings.Contains(hook, "pre-install") != c.hook || strings.Contains(hook, "pre-upgrade") != c.hook {
			t.Errorf("%s: got the Job %s with the hook %q, want %s, hook %t", c.name, job.name, hook, c.want, c.hook)
		}
		for _, object := range objects {
			if o := meta(t, object); o.GetName() == "assay-setup" && object.GetObjectKind().GroupVersionKind().Kind == "ServiceAccount" {
				if weight := o.GetAnnotations()["helm.sh/hook-weight"]; (weight == "-1") != c.hook {
					t.Errorf("%s: got the weight %q of the service account, want it before the Job that uses it", c.name, weight)
				}
			}
		}
	}
}

// TestAutoscaledDeploymentsHaveNoReplicas checks that an upgrade does not reset what an autoscaler has set.
func TestAutoscaledDeploymentsHaveNoReplicas(t *testing.T) {
	values, err := Values(folder + "/ci/production-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"assay-ingest": false, "assay-query": false, "assay-gateway": false, "assay-analyzer": true}
	for _, object := range render(t, "production", values, Options{}) {
		if d, ok := object.(*appsv1.Deployment); ok {
			if (d.Spec.Replicas != nil) != want[d.Name] {
				t.Errorf("%s: got replicas %v, want them set: %t", d.Name, d.Spec.Replicas, want[d.Name])
			}
			delete(want, d.Name)
		}
	}
	if len(want) > 0 {
		t.Errorf("the Deployments %v are missing", want)
	}
}

// TestSingleModeIsOneProcess checks that the data folder has one process and its claim survives.
func TestSingleModeIsOneProcess(t *testing.T) {
	var sets []*appsv1.StatefulSet
	for _, object := range render(t, "single", map[string]any{}, Options{}) {
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			sets = append(sets, o)
		case *appsv1.Deployment:
			t.Errorf("got the Deployment %s, want none", o.Name)
		}
	}
	if len(sets) != 1 || *sets[0].Spec.Replicas != 1 || sets[0].Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted != appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
		t.Fatalf("got the StatefulSets %+v, want one with one replica whose claim is kept", sets)
	}
	c := sets[0].Spec.Template.Spec.Containers[0]
	if data, mount := value(c, "ASSAY_DATA_DIR"), c.VolumeMounts[len(c.VolumeMounts)-1]; mount.Name != "data" || !strings.HasPrefix(data, mount.MountPath+"/") {
		t.Errorf("got the data folder %s and the mount %+v, want a folder below the volume, which belongs to root", data, mount)
	}
}
