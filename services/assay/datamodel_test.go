package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/assay-project/assay/pkg/area"
	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/setup"
	"github.com/assay-project/assay/services/query/feed/dashboard"
)

// layouts lists the declarations whose comments contain the layouts of keys or the meaning of attributes, by area, as folder and name. An empty name
// is that of the package.
var layouts = map[string][][2]string{
	"feed":     {{"pkg/feed", "dashboardSchema"}, {"services/query/feed/dashboard", "minutePartition"}},
	"photojob": {{"pkg/photojob", "UploadPrefix"}},
	"library":  {{"pkg/library", "Workflow"}, {"pkg/library", "ObjectPrefix"}},
	"platform": {{"pkg/platform", ""}},
}

// TestDataModelDocument generates the parts of docs/data-model.md that the code declares.
func TestDataModelDocument(t *testing.T) {
	const path = "../../docs/data-model.md"
	cfg, err := config.Load[setup.Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"})
	if err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := string(document)
	for _, a := range cfg.Areas() {
		part := storageOf(t, cfg, a.Name, a.Storage)
		if len(a.Objects) > 0 || len(a.Buckets) > 0 {
			part += objectsOf(a)
		}
		want = withPart(t, withSection(want, a.Name), a.Name, part)
	}
	want = withPart(t, want, "platform", storageOf(t, cfg, "platform", platform.Storage(cfg.Platform)))
	want = withPart(t, want, "streams", streamsOf(t, cfg))
	want = withPart(t, want, "events", eventsOf(cfg.Areas()))
	compareDocument(t, path, want)
}

// marks returns the lines around the named part of a document.
func marks(name string) (begins, ends string) {
	return "<!-- Generated: " + name + ". After a change: go test ./services/assay -run DataModelDocument -update -->\n",
		"<!-- End of " + name + ". -->\n"
}

// withSection adds the section of a new area after those of the other areas.
func withSection(document, name string) string {
	begins, ends := marks(name)
	if strings.Contains(document, begins) {
		return document
	}
	const next = "## platform\n"
	return strings.Replace(document, next, "## "+name+"\n\n"+begins+ends+"\n"+next, 1)
}

// withPart replaces the named part of a document.
func withPart(t *testing.T, document, name, part string) string {
	t.Helper()
	begins, ends := marks(name)
	before, rest, found := strings.Cut(document, begins)
	_, after, ended := strings.Cut(rest, ends)
	if !found || !ended {
		t.Fatalf("docs/data-model.md has no lines %q and %q", begins, ends)
	}
	return before + begins + "\n" + part + "\n" + ends + after
}

// storageOf describes the tables of an area or of the platform.
func storageOf(t *testing.T, cfg setup.Config, name string, s area.Storage) string {
	var b strings.Builder
	for i, schema := range s.Tables {
		if i > 0 {
			b.WriteString("\n")
		}
		item := schema.Item
		if *schema.Create.TableName == cfg.Feed.Dashboard {
			item = dashboard.Row{} // only query writes and reads it
		}
		if item == nil {
			t.Errorf("the schema of the table %s does not state what is stored", *schema.Create.TableName)
			continue
		}
		b.WriteString(tableOf(t, schema, item))
		b.WriteString(accessOf(schema, s.Access, name == "platform"))
	}
	for _, at := range layouts[name] {
		fmt.Fprintf(&b, "\n%s", layoutOf(t, at[0], at[1]))
	}
	return b.String()
}

// tableOf describes a table and the attributes of its items.
func tableOf(t *testing.T, schema table.Schema, item any) string {
	in := schema.Create
	attributes := attributesOf(reflect.TypeOf(item))
	kinds := map[string]string{}
	for _, d := range in.AttributeDefinitions {
		kinds[*d.AttributeName] = string(d.AttributeType)
	}
	key := func(elements []types.KeySchemaElement) string {
		var names []string
		for _, e := range elements {
			i := slices.IndexFunc(attributes, func(a attribute) bool { return a.name == *e.AttributeName })
			if i >= 0 && attributes[i].kind != kinds[*e.AttributeName] {
				t.Errorf("%s: the key %s is %s, and its attribute is %s", *in.TableName, *e.AttributeName, kinds[*e.AttributeName], attributes[i].kind)
			}
			names = append(names, fmt.Sprintf("`%s` %s", *e.AttributeName, kinds[*e.AttributeName]))
		}
		return strings.Join(names, ", ")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**Table `%s`**: key %s", *in.TableName, key(in.KeySchema))
	if schema.TTL != "" {
		fmt.Fprintf(&b, "; expires by `%s`", schema.TTL)
	}
	if in.StreamSpecification != nil {
		fmt.Fprintf(&b, "; change stream with %s", strings.ToLower(strings.ReplaceAll(string(in.StreamSpecification.StreamViewType), "_", " ")))
	}
	if in.SSESpecification != nil {
		fmt.Fprintf(&b, "; encrypted with %s", in.SSESpecification.SSEType)
	}
	b.WriteString(".\n\n")
	if len(in.GlobalSecondaryIndexes) > 0 {
		b.WriteString("| index | key | projection |\n|---|---|---|\n")
		for _, index := range in.GlobalSecondaryIndexes {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", *index.IndexName, key(index.KeySchema), index.Projection.ProjectionType)
		}
		b.WriteString("\n")
	}
	b.WriteString("| attribute | type |\n|---|---|\n")
	for _, a := range attributes {
		optional := ""
		if a.optional {
			optional = ", optional"
		}
		fmt.Fprintf(&b, "| `%s` | %s%s |\n", a.name, a.kind, optional)
	}
	return b.String()
}

// attribute is an attribute of an item, with its type in DynamoDB.
type attribute struct {
	name, kind string
	optional   bool
}

// attributesOf returns the attributes of a struct, in the order of its fields.
func attributesOf(s reflect.Type) []attribute {
	var all []attribute
	for field := range s.Fields() {
		tag := strings.Split(field.Tag.Get("dynamodbav"), ",")
		switch {
		case field.Anonymous && tag[0] == "":
			all = append(all, attributesOf(field.Type)...)
		case tag[0] != "" && tag[0] != "-":
			all = append(all, attribute{tag[0], kindOf(field.Type, slices.Contains(tag, "stringset")), slices.Contains(tag, "omitempty")})
		}
	}
	return all
}

// kindOf returns the type of an attribute in DynamoDB, with the attributes of maps.
func kindOf(t reflect.Type, set bool) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem(), set)
	case reflect.String:
		return "S"
	case reflect.Bool:
		return "BOOL"
	case reflect.Slice:
		if set {
			return "SS"
		}
		return "L of " + kindOf(t.Elem(), false)
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return "M of JSON values"
		}
		return "M of any name: " + kindOf(t.Elem(), false)
	case reflect.Struct:
		var members []string
		for _, a := range attributesOf(t) {
			member := "`" + a.name + "` " + a.kind
			if a.optional {
				member += "?"
			}
			members = append(members, member)
		}
		return "M {" + strings.Join(members, ", ") + "}"
	}
	return "N"
}

// accessOf describes what each program may do with a table. byPartition states that the permissions differ by partition.
func accessOf(schema table.Schema, access map[area.Program][]area.Statement, byPartition bool) string {
	rows := map[string][]string{} // programs with actions, by partition
	for _, program := range []area.Program{area.Ingest, area.Analyzer, area.Query, area.Rebuild, area.Setup} {
		granted := map[string][]string{}
		for _, s := range access[program] {
			if !slices.ContainsFunc(s.Resource, func(r string) bool { return cutTable(r) == *schema.Create.TableName }) {
				continue
			}
			limits := s.Condition["ForAllValues:StringLike"]
			partitions, limited := limits["dynamodb:LeadingKeys"].([]string)
			if !limited {
				partitions = []string{""}
			}
			suffix := ""
			if names, ok := limits["dynamodb:Attributes"].([]string); ok {
				suffix = " (" + strings.Join(names, ", ") + ")"
			}
			for _, partition := range partitions {
				if partition != "" && !byPartition {
					suffix += " of `" + partition + "`"
					partition = ""
				}
				for _, action := range s.Action {
					if action = strings.TrimPrefix(action, "dynamodb:"); !strings.HasPrefix(action, "Describe") && action != "GetShardIterator" {
						granted[partition] = append(granted[partition], action+suffix)
					}
				}
			}
		}
		for partition, actions := range granted {
			slices.Sort(actions)
			rows[partition] = append(rows[partition], fmt.Sprintf("%s: %s", program, strings.Join(slices.Compact(actions), ", ")))
		}
	}
	var b strings.Builder
	if byPartition {
		b.WriteString("\n| partition | access |\n|---|---|\n")
		for _, partition := range sortedKeys(rows) {
			if partition != "" {
				fmt.Fprintf(&b, "| `%s` | %s |\n", partition, strings.Join(rows[partition], " · "))
			}
		}
		return b.String()
	}
	b.WriteString("\n| program | access |\n|---|---|\n")
	for _, row := range rows[""] {
		program, actions, _ := strings.Cut(row, ": ")
		fmt.Fprintf(&b, "| %s | %s |\n", program, actions)
	}
	return b.String()
}

// cutTable returns the name of the table that a resource belongs to, which may be an index or a change stream.
func cutTable(resource string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(resource, area.Table("")), "/")
	return name
}

// objectsOf describes which objects of an area each program may read, store and delete.
func objectsOf(a area.Area) string {
	programs := []area.Program{area.Ingest, area.Analyzer, area.Query}
	verbs := map[string]string{"s3:GetObject": "get", "s3:PutObject": "put", "s3:DeleteObject": "delete"}
	granted := map[string]map[area.Program][]string{} // by resource
	for _, program := range programs {
		for _, s := range a.Access[program] {
			for _, resource := range s.Resource {
				for _, action := range s.Action {
					if verb, ok := verbs[action]; ok {
						name := strings.TrimPrefix(resource, area.BucketOf(""))
						if granted[name] == nil {
							granted[name] = map[area.Program][]string{}
						}
						granted[name][program] = append(granted[name][program], verb)
					}
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString("\n| objects | ingest | analyzer | query |\n|---|---|---|---|\n")
	for _, name := range sortedKeys(granted) {
		fmt.Fprintf(&b, "| `%s` |", name)
		for _, program := range programs {
			actions := granted[name][program]
			slices.Sort(actions)
			fmt.Fprintf(&b, " %s |", cmp.Or(strings.Join(slices.Compact(actions), ", "), "–"))
		}
		b.WriteString("\n")
	}
	if a.Uploaded != nil {
		b.WriteString("\nClients upload to the bucket directly, and the bucket sends a notification.\n")
	}
	return b.String()
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// layoutOf returns the preformatted text in the comment of a declaration.
func layoutOf(t *testing.T, folder, name string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(fset, files, folder, doc.AllDecls)
	if err != nil {
		t.Fatal(err)
	}
	text := pkg.Doc
	if name != "" {
		text = ""
		for _, values := range slices.Concat(pkg.Consts, pkg.Vars) {
			if slices.Contains(values.Names, name) {
				text = values.Doc
			}
		}
		for _, function := range pkg.Funcs {
			if function.Name == name {
				text = function.Doc
			}
		}
		for _, declared := range pkg.Types {
			if declared.Name == name {
				text = declared.Doc
			}
		}
	}
	for _, block := range new(comment.Parser).Parse(text).Content {
		if code, ok := block.(*comment.Code); ok {
			of := folder
			if name != "" {
				of = name + " in " + folder
			}
			return "From the comment of " + of + ":\n\n```text\n" + strings.TrimSuffix(strings.ReplaceAll(code.Text, "\t", "  "), "\n") + "\n```\n"
		}
	}
	t.Errorf("the comment of %s in %s contains no preformatted text", name, folder)
	return ""
}
