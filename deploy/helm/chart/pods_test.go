package chart

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// TestPodsAreRestricted checks every Pod against the table: the restricted Pod security standard, and a read-only root file
// system.
func TestPodsAreRestricted(t *testing.T) {
	each(t, func(t *testing.T, w workload) { restricted(t, w.spec) })
}

func restricted(t *testing.T, spec corev1.PodSpec) {
	t.Helper()
	security := spec.SecurityContext
	if security == nil {
		t.Fatal("got no security context")
	}
	for want, ok := range map[string]bool{
		"runAsNonRoot":       isTrue(security.RunAsNonRoot),
		"a user above 0":     security.RunAsUser != nil && *security.RunAsUser > 0,
		"RuntimeDefault":     security.SeccompProfile != nil && security.SeccompProfile.Type == corev1.SeccompProfileTypeRuntimeDefault,
		"no API token":       spec.AutomountServiceAccountToken != nil && !*spec.AutomountServiceAccountToken,
		"no service links":   spec.EnableServiceLinks != nil && !*spec.EnableServiceLinks,
		"no host namespaces": !spec.HostNetwork && !spec.HostPID && !spec.HostIPC,
	} {
		if !ok {
			t.Errorf("got the Pod security %+v, want %s", security, want)
		}
	}
	for _, volume := range spec.Volumes {
		if volume.HostPath != nil || volume.EmptyDir != nil && volume.EmptyDir.SizeLimit == nil && volume.Name != "pid" {
			t.Errorf("got the volume %+v, want no folder of the node and a limit", volume)
		}
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		s := c.SecurityContext
		if s == nil || s.Capabilities == nil {
			t.Errorf("%s: got the security %+v, want restrictions", c.Name, s)
			continue
		}
		for want, ok := range map[string]bool{
			"a read-only root":        isTrue(s.ReadOnlyRootFilesystem),
			"no privilege escalation": s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation,
			"no privileges":           s.Privileged == nil,
			"no capabilities":         slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) && len(s.Capabilities.Add) == 0,
			"requests of CPU":         !c.Resources.Requests.Cpu().IsZero(),
			"requests of memory":      !c.Resources.Requests.Memory().IsZero(),
			"a limit of memory":       !c.Resources.Limits.Memory().IsZero(),
			"an image with a version": strings.Contains(c.Image[strings.LastIndex(c.Image, "/")+1:], ":"),
		} {
			if !ok {
				t.Errorf("%s: got %+v, want %s", c.Name, c, want)
			}
		}
	}
}

func isTrue(b *bool) bool { return b != nil && *b }

// TestProgramsAreProbed checks the probes and the end of programs that run until they are stopped: a backend that is not
// available must not restart them, and they get the time to finish their work.
func TestProgramsAreProbed(t *testing.T) {
	each(t, func(t *testing.T, w workload) {
		if w.selector == nil {
			return
		}
		c := w.spec.Containers[0]
		for name, probe := range map[string]*corev1.Probe{"/healthz": c.LivenessProbe, "/healthz of the start": c.StartupProbe, "/readyz": c.ReadinessProbe} {
			path, _, _ := strings.Cut(name, " ")
			if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != path || probe.HTTPGet.Port.String() != "http" {
				t.Errorf("got the probe %+v, want %s at the port http", probe, name)
			}
		}
		if got := c.ReadinessProbe.TimeoutSeconds; got < 4 {
			t.Errorf("got %d s for a readiness check, want at least 4: checks of backends take 2 s", got)
		}
		if got := time.Duration(c.LivenessProbe.PeriodSeconds*c.LivenessProbe.FailureThreshold) * time.Second; got < 30*time.Second {
			t.Errorf("got a restart after %s, want at least 30 s", got)
		}
		if got := time.Duration(c.StartupProbe.PeriodSeconds*c.StartupProbe.FailureThreshold) * time.Second; got < time.Minute {
			t.Errorf("got %s for the start, want at least a minute", got)
		}
		drain, err := time.ParseDuration(value(c, "ASSAY_DRAIN"))
		if err != nil {
			t.Fatal(err)
		}
		sleep := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
		if got := time.Duration(*w.spec.TerminationGracePeriodSeconds) * time.Second; got < drain+sleep+10*time.Second {
			t.Errorf("got a grace period of %s, want 10 s more than ASSAY_DRAIN %s and the sleep of %s", got, drain, sleep)
		}
	})
}

// value returns the literal value of a variable, or "".
func value(c corev1.Container, name string) string {
	i := slices.IndexFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return c.Env[i].Value
}

// TestServicesAreSpread checks that Pods of a service are on several zones and nodes, also during an update.
func TestServicesAreSpread(t *testing.T) {
	each(t, func(t *testing.T, w workload) {
		if w.kind != "Deployment" {
			return
		}
		var keys []string
		for _, c := range w.spec.TopologySpreadConstraints {
			keys = append(keys, c.TopologyKey)
			if !matches(c.LabelSelector.MatchLabels, w.labels) || !slices.Contains(c.MatchLabelKeys, "pod-template-hash") {
				t.Errorf("got the constraint %+v, want one that counts the Pods of this version", c)
			}
		}
		if !slices.Equal(keys, []string{"topology.kubernetes.io/zone", "kubernetes.io/hostname"}) {
			t.Errorf("got the topology keys %q, want zone and hostname", keys)
		}
	})
}

// matches reports whether labels have everything that a selector requires.
func matches(selector, labels map[string]string) bool {
	for key, want := range selector {
		if labels[key] != want {
			return false
		}
	}
	return len(selector) > 0
}
