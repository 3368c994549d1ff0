package chart

import (
	"fmt"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// Decode decodes the documents into the API types of Kubernetes, the Prometheus operator, the Gateway API, and those that
// further functions add, such as KEDA's. An unknown field, a field of another type and an unknown kind are errors.
func Decode(documents []Document, further ...func(*runtime.Scheme) error) ([]runtime.Object, error) {
	types := runtime.NewScheme()
	for _, add := range append(further, scheme.AddToScheme, monitoring.AddToScheme, gateway.Install) {
		if err := add(types); err != nil {
			return nil, err
		}
	}
	decoder := serializer.NewCodecFactory(types, serializer.EnableStrict).UniversalDeserializer()
	objects := make([]runtime.Object, len(documents))
	for i, document := range documents {
		var err error
		if objects[i], _, err = decoder.Decode(document.YAML, nil, nil); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", document.Path, err, document.YAML)
		}
	}
	return objects, nil
}
