package chart

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// TestReferencesHaveTargets checks that whatever an object names exists: Pods of selectors, ports, service accounts,
// Deployments and Services.
func TestReferencesHaveTargets(t *testing.T) {
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			r := references{workloads: workloads(e.objects), services: map[string]*corev1.Service{}, accounts: map[string]bool{}}
			for _, object := range e.objects {
				switch o := object.(type) {
				case *corev1.Service:
					r.services[o.Name] = o
				case *corev1.ServiceAccount:
					r.accounts[o.Name] = true
				}
			}
			for _, object := range e.objects {
				r.check(t, object)
			}
			for _, w := range r.workloads {
				if w.selector != nil && !matches(w.selector, w.labels) {
					t.Errorf("%s: got the selector %v for Pods with %v", w.name, w.selector, w.labels)
				}
				if account := w.spec.ServiceAccountName; w.program != "test" && (account != "assay-"+w.program || !r.accounts[account]) {
					t.Errorf("%s: got the service account %q, want one that exists and that deploy/terraform expects", w.name, account)
				}
			}
		})
	}
}

type references struct {
	workloads []workload
	services  map[string]*corev1.Service
	accounts  map[string]bool
}

func (r references) check(t *testing.T, object runtime.Object) {
	t.Helper()
	switch o := object.(type) {
	case *corev1.Service:
		for _, p := range o.Spec.Ports {
			r.selected(t, o.Name, o.Spec.Selector, p.TargetPort)
		}
	case *policy.PodDisruptionBudget:
		r.selected(t, o.Name, o.Spec.Selector.MatchLabels)
	case *networking.NetworkPolicy:
		if o.Name == "assay-nats" { // see TestNATSChart
			return
		}
		for _, rule := range o.Spec.Ingress {
			for _, p := range rule.Ports {
				r.selected(t, o.Name, o.Spec.PodSelector.MatchLabels, *p.Port)
			}
		}
	case *autoscaling.HorizontalPodAutoscaler:
		r.deployment(t, o.Name, o.Spec.ScaleTargetRef.Name)
	case *networking.Ingress:
		for _, rule := range o.Spec.Rules {
			for _, p := range rule.HTTP.Paths {
				r.port(t, o.Name, p.Backend.Service.Name, p.Backend.Service.Port.Name)
			}
		}
	case *gateway.HTTPRoute:
		for _, rule := range o.Spec.Rules {
			for _, to := range rule.BackendRefs {
				r.port(t, o.Name, string(to.Name), fmt.Sprint(*to.Port))
			}
		}
	case *monitoring.PodMonitor:
		for _, program := range o.Spec.Selector.MatchExpressions[0].Values {
			if !slices.ContainsFunc(r.workloads, func(w workload) bool { return w.program == program }) {
				t.Errorf("%s: got the program %s, which does not exist", o.Name, program)
			}
		}
	}
}

// selected checks that a selector selects Pods of one program with the ports.
func (r references) selected(t *testing.T, name string, selector map[string]string, ports ...intstr.IntOrString) {
	t.Helper()
	found := 0
	for _, w := range r.workloads {
		if !matches(selector, w.labels) {
			continue
		}
		found++
		for _, port := range ports {
			if !slices.ContainsFunc(w.spec.Containers[0].Ports, func(p corev1.ContainerPort) bool { return p.Name == port.StrVal || p.ContainerPort == port.IntVal }) {
				t.Errorf("%s: %s has no port %s", name, w.name, port.String())
			}
		}
	}
	if found != 1 {
		t.Errorf("%s: the selector %v selects %d workloads, want 1", name, selector, found)
	}
}

func (r references) deployment(t *testing.T, name, target string) {
	t.Helper()
	if !slices.ContainsFunc(r.workloads, func(w workload) bool { return w.kind == "Deployment" && w.name == target }) {
		t.Errorf("%s: there is no Deployment %s", name, target)
	}
}

// port checks that a Service has a port with a name or number.
func (r references) port(t *testing.T, name, service, port string) {
	t.Helper()
	s := r.services[service]
	if s == nil || !slices.ContainsFunc(s.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == port || fmt.Sprint(p.Port) == port }) {
		t.Errorf("%s: there is no port %s of a Service %s", name, port, service)
	}
}

// address checks that a URL is that of a Service, and that its program accepts requests with this Host.
func (r references) address(t *testing.T, name, at, program string) {
	t.Helper()
	to, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	service, _, _ := strings.Cut(to.Hostname(), ".")
	r.port(t, name, service, to.Port())
	i := slices.IndexFunc(r.workloads, func(w workload) bool { return w.program == program })
	if hosts := value(r.workloads[i].spec.Containers[0], "ASSAY_PUBLIC_HOSTS"); !slices.Contains(strings.Split(hosts, ","), to.Hostname()) {
		t.Errorf("%s: %s accepts the hosts %s, want %s among them", name, program, hosts, to.Hostname())
	}
}

// TestAddressesReachPrograms checks the URLs of the gateway and of the test, and that NetworkPolicies allow its requests.
func TestAddressesReachPrograms(t *testing.T) {
	for _, e := range examples(t) {
		r := references{workloads: workloads(e.objects), services: map[string]*corev1.Service{}}
		policies := map[string]*networking.NetworkPolicy{}
		for _, object := range e.objects {
			switch o := object.(type) {
			case *corev1.Service:
				r.services[o.Name] = o
			case *networking.NetworkPolicy:
				policies[o.Spec.PodSelector.MatchLabels["app.kubernetes.io/component"]] = o
			}
		}
		for _, w := range r.workloads {
			if policies[w.program] == nil && w.program != "test" {
				t.Errorf("%s: %s has no NetworkPolicy", e.name, w.program)
			}
			for _, v := range w.spec.Containers[0].Env {
				switch program, isURL := strings.CutSuffix(strings.ToLower(strings.TrimPrefix(v.Name, "ASSAY_")), "_url"); {
				case w.program == "gateway" && isURL:
					program = strings.TrimSuffix(program, "_operator")
					r.address(t, e.name, v.Value, program)
					if !allows(policies[program], "gateway") {
						t.Errorf("%s: the NetworkPolicy of %s does not allow the gateway", e.name, program)
					}
				case v.Name == "ASSAY_SERVER":
					front := "gateway"
					if !slices.ContainsFunc(r.workloads, func(w workload) bool { return w.program == front }) {
						front = "serve"
					}
					r.address(t, e.name, v.Value, front)
					if !allows(policies[front], "test") {
						t.Errorf("%s: the NetworkPolicy of %s does not allow the test", e.name, front)
					}
				}
			}
		}
	}
}

// allows reports whether a policy allows requests of a program.
func allows(p *networking.NetworkPolicy, program string) bool {
	return p != nil && slices.ContainsFunc(p.Spec.Ingress, func(rule networking.NetworkPolicyIngressRule) bool {
		return len(rule.From) == 0 || slices.ContainsFunc(rule.From, func(from networking.NetworkPolicyPeer) bool {
			return from.PodSelector != nil && from.PodSelector.MatchLabels["app.kubernetes.io/component"] == program
		})
	})
}

// TestOperatorPortsAreInternal checks that no object that exposes Assay exposes the operator ports, which require no
// credentials without tokens.
func TestOperatorPortsAreInternal(t *testing.T) {
	for _, e := range examples(t) {
		for _, object := range e.objects {
			switch o := object.(type) {
			case *corev1.Service:
				if slices.ContainsFunc(o.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "operator" }) && o.Spec.Type != "" && o.Spec.Type != corev1.ServiceTypeClusterIP {
					t.Errorf("%s: %s exposes the operator port", e.name, o.Name)
				}
			case *networking.NetworkPolicy:
				for _, rule := range o.Spec.Ingress {
					if len(rule.From) == 0 && slices.ContainsFunc(rule.Ports, func(p networking.NetworkPolicyPort) bool { return p.Port.StrVal == "operator" }) {
						t.Errorf("%s: %s allows everyone at the operator port", e.name, o.Name)
					}
				}
			}
		}
	}
}
