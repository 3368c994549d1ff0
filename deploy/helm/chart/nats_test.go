package chart

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/conf"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var natsChart = flag.String("nats.chart", "", "folder of the official chart nats, helm/charts/nats of github.com/nats-io/k8s; without it, its objects are not tested")

// passwords are the variables of deploy/nats/nats.conf.
var passwords = []string{"SETUP", "INGEST", "ANALYZER", "QUERY", "S3", "OPERATOR"}

// TestNATSUsersAreThoseOfThePrograms checks that the NATS server reads the users that the chart gives it, that they have
// permissions, and that the programs use their names.
func TestNATSUsersAreThoseOfThePrograms(t *testing.T) {
	objects := render(t, "nats", production(t), Options{})
	path := filepath.Join(t.TempDir(), "nats.conf")
	store(t, path, authorization(t, objects))
	users := map[string]bool{}
	for name, user := range usersOf(t, parsed(t, path)) {
		users[name] = user["password"] == "p-"+strings.ToUpper(name) && (user["permissions"] != nil || name == "operator")
	}
	for _, name := range passwords {
		if name = strings.ToLower(name); !users[name] {
			t.Errorf("got the users %v, want %s with its password and permissions", users, name)
		}
	}
	for _, w := range workloads(objects) {
		if c := w.spec.Containers[0]; slices.Contains([]string{"setup", "ingest", "analyzer", "query"}, w.program) {
			i := slices.IndexFunc(c.Env, func(v corev1.EnvVar) bool { return v.Name == "ASSAY_NATS_PASSWORD" })
			if got := value(c, "ASSAY_NATS_USER"); got != w.program || i < 0 || c.Env[i].ValueFrom.SecretKeyRef.Key != w.program {
				t.Errorf("%s: got the NATS user %q and the variables %+v, want its own user and password", w.name, got, c.Env)
			}
			if url, replicas := value(c, "ASSAY_NATS_URL"), value(c, "ASSAY_NATS_REPLICAS"); url != "nats://assay-nats:4222" || replicas != "3" {
				t.Errorf("%s: got %s and %s replicas, want assay-nats and 3", w.name, url, replicas)
			}
		}
	}
}

// TestNATSChart renders the official chart with the values of this chart and checks its objects as those of this chart, and
// the configuration with the NATS server's own parser.
func TestNATSChart(t *testing.T) {
	if *natsChart == "" {
		t.Skip("set -nats.chart to the folder helm/charts/nats of github.com/nats-io/k8s")
	}
	objects := render(t, "nats", production(t), Options{NATS: *natsChart})
	var set *appsv1.StatefulSet
	var service *corev1.Service
	config := ""
	for _, object := range objects {
		switch o := object.(type) {
		case *appsv1.StatefulSet:
			set = o
		case *corev1.Service:
			if o.Name == "assay-nats" {
				service = o
			}
		case *corev1.ConfigMap:
			config += o.Data["nats.conf"]
		case *corev1.Secret:
			if len(o.Data)+len(o.StringData) > 0 {
				t.Errorf("got the Secret %s, want none", o.Name)
			}
		}
	}
	if set == nil || *set.Spec.Replicas != 3 {
		t.Fatalf("got the StatefulSet %+v, want three servers", set)
	}
	restricted(t, set.Spec.Template.Spec)
	mounts := set.Spec.Template.Spec.Containers[0].VolumeMounts
	if !slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool { return m.Name == "authorization" }) {
		t.Errorf("got the mounts %+v, want the users among them", mounts)
	}
	if service == nil || !matches(service.Spec.Selector, set.Spec.Template.Labels) {
		t.Errorf("got the Service %+v, want assay-nats, which selects the servers", service)
	}
	for _, object := range objects {
		if p, ok := object.(*networking.NetworkPolicy); ok && p.Name == "assay-nats" && !matches(p.Spec.PodSelector.MatchLabels, set.Spec.Template.Labels) {
			t.Errorf("got a NetworkPolicy for %v, want the servers with %v", p.Spec.PodSelector, set.Spec.Template.Labels)
		}
	}
	for _, name := range passwords {
		if !slices.ContainsFunc(set.Spec.Template.Spec.Containers[0].Env, func(v corev1.EnvVar) bool {
			return v.Name == "ASSAY_NATS_"+name+"_PASSWORD" && reference(v) && v.ValueFrom.SecretKeyRef.Name == "assay-nats"
		}) {
			t.Errorf("got the variables %+v, want the password of %s from the Secret assay-nats", set.Spec.Template.Spec.Containers[0].Env, name)
		}
	}
	dir := t.TempDir()
	store(t, filepath.Join(dir, "nats-authorization", "authorization.conf"), authorization(t, objects))
	store(t, filepath.Join(dir, "nats-config", "nats.conf"), config)
	t.Setenv("SERVER_NAME", "assay-nats-0")
	server := parsed(t, filepath.Join(dir, "nats-config", "nats.conf"))
	jetstream, cluster := block(t, server, "jetstream"), block(t, server, "cluster")
	routes, _ := cluster["routes"].([]any)
	if users := usersOf(t, server); jetstream["sync_interval"] != "always" || jetstream["store_dir"] != "/data" || len(users) != len(passwords) || len(routes) != 3 {
		t.Errorf("got JetStream %v, %d users and the routes %v, want sync always, %d and 3", jetstream, len(users), routes, len(passwords))
	}
}

func production(t *testing.T) map[string]any {
	t.Helper()
	values, err := Values(folder + "/ci/production-values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func authorization(t *testing.T, objects []runtime.Object) string {
	t.Helper()
	for _, object := range objects {
		if o, ok := object.(*corev1.ConfigMap); ok && o.Name == "assay-nats-authorization" {
			return o.Data["authorization.conf"]
		}
	}
	t.Fatal("got no ConfigMap assay-nats-authorization")
	return ""
}

// parsed reads a configuration with the parser of the NATS server.
func parsed(t *testing.T, path string) map[string]any {
	t.Helper()
	for _, name := range passwords {
		t.Setenv("ASSAY_NATS_"+name+"_PASSWORD", "p-"+name)
	}
	config, err := conf.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func block(t *testing.T, config map[string]any, name string) map[string]any {
	t.Helper()
	found, ok := config[name].(map[string]any)
	if !ok {
		t.Fatalf("got %s %v, want a block", name, config[name])
	}
	return found
}

// usersOf returns the users of a configuration by name.
func usersOf(t *testing.T, config map[string]any) map[string]map[string]any {
	t.Helper()
	list, _ := block(t, config, "authorization")["users"].([]any)
	all := map[string]map[string]any{}
	for i := range list {
		user, ok := list[i].(map[string]any)
		if !ok {
			t.Fatalf("got the user %v, want a block", list[i])
		}
		all[user["user"].(string)] = user
	}
	return all
}

func store(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
