package event

import _ "embed"

//go:embed asyncapi.yaml
var asyncAPI []byte

// AsyncAPI returns the description of all events, a copy of proto/asyncapi.yaml.
func AsyncAPI() []byte { return asyncAPI }
