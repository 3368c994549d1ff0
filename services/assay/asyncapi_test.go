package main

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/saved"
)

// asyncAPI is the part of proto/asyncapi.yaml that the tests read.
type asyncAPI struct {
	AsyncAPI   string
	Channels   map[string]channel
	Operations map[string]struct {
		Action  string
		Channel ref
	}
	Components struct {
		Parameters map[string]any
		Messages   map[string]struct {
			Name     string
			Headers  schema
			Payload  schema
			Examples []struct{ Payload map[string]any }
		}
		Schemas map[string]schema
	}
}

type channel struct {
	Address    string
	Parameters map[string]any
	Messages   map[string]ref
}

type ref struct {
	Ref string `yaml:"$ref"`
}

type schema struct {
	Ref        string `yaml:"$ref"`
	AllOf      []ref  `yaml:"allOf"`
	Type       string
	Format     string
	Required   []string
	Properties map[string]schema
	Items      *schema
}

func readAsyncAPI(t *testing.T) asyncAPI {
	t.Helper()
	data, err := os.ReadFile("../../proto/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := yaml.Unmarshal(data, &plain); err != nil {
		t.Fatal(err)
	}
	resolve(t, plain, plain)
	var doc asyncAPI
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.AsyncAPI != "3.0.0" {
		t.Errorf("AsyncAPI version %q, want 3.0.0", doc.AsyncAPI)
	}
	return doc
}

// resolve fails the test for each reference below node that does not resolve in root.
func resolve(t *testing.T, root, node any) {
	t.Helper()
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			resolve(t, root, child)
		}
	case map[string]any:
		if to, ok := node["$ref"].(string); ok {
			at := root
			for part := range strings.SplitSeq(strings.TrimPrefix(to, "#/"), "/") {
				fields, _ := at.(map[string]any)
				if at = fields[part]; at == nil {
					t.Errorf("the reference %s does not resolve", to)
					break
				}
			}
		}
		for _, child := range node {
			resolve(t, root, child)
		}
	}
}

// last returns the last element of a reference.
func (r ref) last() string { return r.Ref[strings.LastIndex(r.Ref, "/")+1:] }

// announced returns one event of every type and subject: the outcomes and the events that the areas declare.
func announced(t *testing.T) []event.Event {
	t.Helper()
	all := []event.Event{
		event.NewAnalysisCompleted(&event.AnalysisCompleted{Area: "{area}", Id: "{id}"}),
		event.NewAnalysisFailed(&event.AnalysisFailed{Area: "{area}", Id: "{id}"}),
		saved.NewTagsChanged(&event.TagsChanged{Area: "{area}", Id: "{id}"}),
		saved.NewSearchMatched("", &event.SearchMatched{Area: "{area}", Id: "{id}"}),
		saved.NewRuleNotified("", &event.RuleNotified{Area: "{area}", Id: "{id}"}),
		saved.NewMoved("{area}", event.Event{Item: "{id}", Data: &event.NodeChanged{}}),
	}
	for _, a := range areas(t) {
		all = append(all, a.Events...)
	}
	return all
}

// published returns one event of every type, by type.
func published(t *testing.T) map[string]event.Event {
	t.Helper()
	events := map[string]event.Event{}
	for _, e := range announced(t) {
		events[e.Type()] = e
	}
	return events
}

var parameter = regexp.MustCompile(`\{(\w+)\}`)

func TestAsyncAPIDescribesExactlyThePublishedSubjects(t *testing.T) {
	doc := readAsyncAPI(t)
	types := map[string]string{} // by subject
	for _, e := range announced(t) {
		types[e.Subject] = e.Type()
	}
	for name, ch := range doc.Channels {
		var documented []string
		for _, match := range parameter.FindAllStringSubmatch(ch.Address, -1) {
			documented = append(documented, match[1])
		}
		if slices.Sort(documented); !slices.Equal(documented, slices.Sorted(maps.Keys(ch.Parameters))) {
			t.Errorf("%s: the address has the parameters %v, but %v are described", name, documented, ch.Parameters)
		}
		if len(ch.Messages) != 1 {
			t.Errorf("%s has %d messages, want 1", name, len(ch.Messages))
		}
		for _, message := range ch.Messages {
			kind := doc.Components.Messages[message.last()].Name
			if kind == "DeadLetter" {
				continue // the tests of package bus check its subject
			}
			if types[ch.Address] != kind {
				t.Errorf("%s: nothing publishes %s as %s", name, kind, ch.Address)
			}
			delete(types, ch.Address)
		}
		sent := 0
		for _, operation := range doc.Operations {
			if operation.Action == "send" && operation.Channel.last() == name {
				sent++
			}
		}
		if sent != 1 {
			t.Errorf("%s has %d send operations, want 1", name, sent)
		}
	}
	for subject, kind := range types {
		t.Errorf("no channel describes %s as %s", kind, subject)
	}
	if len(doc.Operations) != len(doc.Channels) {
		t.Errorf("got %d operations, want one for each of the %d channels", len(doc.Operations), len(doc.Channels))
	}
}

func TestAsyncAPIDescribesEveryMessageAndField(t *testing.T) {
	doc := readAsyncAPI(t)
	messages := published(t)
	for name, message := range doc.Components.Messages {
		if name == "DeadLetter" {
			continue
		}
		if _, known := messages[message.Name]; !known || message.Name != "assay.v1."+name {
			t.Errorf("the name of the message %s is %s, want that of a published event, assay.v1.%s", name, message.Name, name)
		}
		if (ref{message.Payload.Ref}).last() != name {
			t.Errorf("the payload of %s is %s, want the schema %s", name, message.Payload.Ref, name)
		}
		delete(messages, message.Name)
	}
	if len(messages) != 0 {
		t.Errorf("not described: %v", slices.Collect(maps.Keys(messages)))
	}

	for name, message := range doc.Components.Messages {
		if name != "DeadLetter" && len(message.Examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, example := range message.Examples {
			checkExample(t, message.Name, doc.Components.Schemas[name], example.Payload)
		}
	}

	schemas := maps.Clone(doc.Components.Schemas)
	delete(schemas, "EventHeaders")
	delete(schemas, "DeadHeaders")
	protoregistry.GlobalFiles.RangeFilesByPackage(event.File_assay_v1_events_proto.Package(), func(file protoreflect.FileDescriptor) bool {
		for i := range file.Messages().Len() {
			message := file.Messages().Get(i)
			name := string(message.Name())
			described, there := schemas[name]
			if !there {
				t.Errorf("no schema describes %s", name)
				continue
			}
			delete(schemas, name)
			checkFields(t, message, described)
		}
		return true
	})
	for name := range schemas {
		t.Errorf("the schema %s does not describe a message", name)
	}
}

// checkExample checks that an example is the protobuf JSON of a message and has its required fields.
func checkExample(t *testing.T, name string, described schema, payload map[string]any) {
	t.Helper()
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		t.Error(err)
		return
	}
	text, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(text, kind.New().Interface()); err != nil {
		t.Errorf("the example of %s: %v", name, err)
	}
	for _, field := range described.Required {
		if _, there := payload[field]; !there {
			t.Errorf("the example of %s has no %s", name, field)
		}
	}
}

// checkFields compares a schema with a message in both directions. The required fields are those in
// the payload of an empty message and the times that every constructor sets.
func checkFields(t *testing.T, message protoreflect.MessageDescriptor, described schema) {
	t.Helper()
	name := message.Name()
	properties := maps.Clone(described.Properties)
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		property, there := properties[field.JSONName()]
		if !there {
			t.Errorf("%s.%s is not described", name, field.JSONName())
			continue
		}
		delete(properties, field.JSONName())
		if got, want := form(property), formOf(field); got != want {
			t.Errorf("the type of %s.%s is described as %s, want %s", name, field.JSONName(), got, want)
		}
		optional := field.ContainingOneof() != nil || field.JSONName() == "retriedAt" || field.JSONName() == "pendingSince" || field.JSONName() == "endedAt"
		always := !field.HasPresence() || !optional
		if got := slices.Contains(described.Required, field.JSONName()); got != always {
			t.Errorf("%s.%s: required is %t, want %t", name, field.JSONName(), got, always)
		}
	}
	for field := range properties {
		t.Errorf("%s.%s is described but does not exist", name, field)
	}
}

func form(s schema) string {
	switch {
	case s.Ref != "":
		return ref{s.Ref}.last()
	case s.Items != nil:
		return s.Type + " of " + form(*s.Items)
	}
	return strings.TrimSpace(s.Type + " " + s.Format)
}

func formOf(field protoreflect.FieldDescriptor) string {
	var one string
	switch kind := field.Kind(); {
	case kind == protoreflect.StringKind:
		one = "string"
	case kind == protoreflect.DoubleKind:
		one = "number"
	case kind == protoreflect.BoolKind:
		one = "boolean"
	case kind == protoreflect.MessageKind && field.Message().FullName() == "google.protobuf.Timestamp":
		one = "string date-time"
	case kind == protoreflect.MessageKind:
		one = string(field.Message().Name())
	default:
		one = "unsupported kind " + kind.String()
	}
	if field.IsList() {
		return "array of " + one
	}
	return one
}

// TestRequiredFieldsAreAlwaysWritten checks that even an empty message contains the fields that its schema requires.
func TestRequiredFieldsAreAlwaysWritten(t *testing.T) {
	doc := readAsyncAPI(t)
	for kind, e := range published(t) {
		data, err := e.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		var body map[string]any
		if err := yaml.Unmarshal(data, &body); err != nil {
			t.Fatal(err)
		}
		for _, field := range doc.Components.Schemas[strings.TrimPrefix(kind, "assay.v1.")].Required {
			if _, there := body[field]; !there && !strings.HasSuffix(field, "At") {
				t.Errorf("%s has no %s: %s", kind, field, protojson.Format(e.Data))
			}
		}
	}
}

// TestAsyncAPIIsServed checks that the programs serve a copy of proto/asyncapi.yaml.
func TestAsyncAPIIsServed(t *testing.T) {
	source, err := os.ReadFile("../../proto/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if string(source) != string(event.AsyncAPI()) {
		t.Error("pkg/event/asyncapi.yaml differs: cp proto/asyncapi.yaml pkg/event/asyncapi.yaml")
	}
}
