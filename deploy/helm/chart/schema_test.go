package chart

import (
	"strings"
	"testing"

	sigsyaml "sigs.k8s.io/yaml"
)

// TestSchemaRejectsWrongValues checks values that the schema must reject, and that the error names the place.
func TestSchemaRejectsWrongValues(t *testing.T) {
	for values, want := range map[string]string{
		"mode: both":     "/mode",
		"mode: services": "/externalNats/url",
		"unknown: 1":     "unknown",
		"{mode: services, externalNats: {url: nats://nats:4222, replica: 3}}":  "replica",
		"{mode: services, externalNats: {url: 'http://nats:4222'}}":            "/externalNats/url",
		"{mode: services, externalNats: {url: 'nats://me:secret@nats:4222'}}":  "/externalNats/url",
		"{mode: services, externalNats: {url: nats://nats:4222, replicas: 2}}": "/externalNats/replicas",
		"{mode: services, nats: {enabled: true}}":                              "/global/natsSecret",
		"{mode: single, nats: {enabled: true}, global: {natsSecret: assay}}":   "/mode",
		"ingress: {enabled: true}":                                             "/ingress/host",
		"ingress: {enabled: true, host: 'https://a.example'}":                  "/ingress/host",
		"httpRoute: {enabled: true, hostnames: [a.example]}":                   "/httpRoute/parentRefs",
		"auth: {mode: tokens}":                                                 "/auth/mode",
		"auth: {oidc: {clientSecret: s3cret}}":                                 "/auth/oidc/clientSecret",
		"config: {ASSAY_OIDC_CLIENT_SECRET: abc}":                              "ASSAY_OIDC_CLIENT_SECRET",
		"config: {AWS_SECRET_ACCESS_KEY: abc}":                                 "AWS_SECRET_ACCESS_KEY",
		"analyzer: {config: {ASSAY_GEMINI_KEY: abc}}":                          "ASSAY_GEMINI_KEY",
		"config: {ASSAY_MAX_FILE_SIZE: 5368709120}":                            "/config/ASSAY_MAX_FILE_SIZE", // Helm reads numbers as floating point
		"analyzer: {secretEnv: {ASSAY_GEMINI_KEY: abc}}":                       "/analyzer/secretEnv",
		"analyzer: {keda: {itemsPerReplica: 0}}":                               "/analyzer/keda/itemsPerReplica",
		"ingest: {replicas: 0}":                                                "/ingest/replicas",
		"ingest: {autoscaling: {enabled: true, cpu: 170}}":                     "/ingest/autoscaling/cpu",
		"ingest: {keda: {enabled: true}}":                                      "keda",
		"serve: {replicas: 2}":                                                 "replicas",
		"serve: {persistence: {size: 20GB}}":                                   "/serve/persistence/size",
		"serve: {s3PublicEndpoint: files.example.com}":                         "/serve/s3PublicEndpoint",
		"preStopSeconds: 0":                                                    "/preStopSeconds",
		"fullnameOverride: Assay":                                              "/fullnameOverride",
		"publicHosts: ['https://a.example/x']":                                 "/publicHosts/0",
		"networkPolicy: {web: {cidrs: [10.0.0.0/8]}}":                          "/networkPolicy/web/cidrs/0",
	} {
		var given map[string]any
		if err := sigsyaml.Unmarshal([]byte(values), &given); err != nil {
			t.Fatal(err)
		}
		_, err := Render(given, Options{Dir: folder})
		if err == nil || !strings.Contains(err.Error(), "schema") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one of the schema that contains %q", values, err, want)
		}
	}
}
