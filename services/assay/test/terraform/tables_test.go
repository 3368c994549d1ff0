package terraform

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/setup"
)

var update = flag.Bool("update", false, "write the generated files")

// TestFilesAreGenerated checks that the tables and policies of the module are those of the descriptions of the areas.
func TestFilesAreGenerated(t *testing.T) {
	files, err := Policies()
	if err != nil {
		t.Fatal(err)
	}
	if files["tables.tf"], err = Tables(); err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join(module, filepath.FromSlash(name))
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, want, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is out of date: go test ./services/assay/test/terraform -update", path)
		}
	}
	found, err := filepath.Glob(filepath.Join(module, "policies", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if policies := len(files) - 1; len(found) != policies {
		t.Errorf("the module has %d policies, want %d: remove those of areas that no longer exist", len(found), policies)
	}
}

// TestFilesAreFormatted checks that the files of the module and the examples are as `terraform fmt` writes them.
func TestFilesAreFormatted(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.tf", "examples/*/*.tf"} {
		found, err := filepath.Glob(filepath.Join(module, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 10 {
		t.Fatalf("found %q, want the files of the module", files)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(hclwrite.Format(content)) != string(content) {
			t.Errorf("%s is not formatted: run terraform fmt -recursive in deploy/terraform", path)
		}
	}
}

const key = "arn:aws:kms:us-east-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab"

// variants are settings of both `assay setup`, as environment variables, and the module, as variables.
var variants = map[string]struct {
	environ   []string
	variables map[string]cty.Value
}{
	"default": {},
	"production": {
		environ: []string{"ASSAY_ENV=prod", "ASSAY_REPLICAS=default"},
		variables: map[string]cty.Value{"environment": cty.StringVal("prod"), "replicas": cty.MapVal(map[string]cty.Value{
			"us-west-2": cty.NullVal(cty.String), "eu-west-1": cty.NullVal(cty.String), "ap-south-1": cty.NullVal(cty.String),
		})},
	},
	"all settings": {
		environ: []string{
			"ASSAY_ENV=test", "ASSAY_KMS_KEY=" + key, "ASSAY_PITR=all", "ASSAY_TABLE_TAGS=team:search", "ASSAY_TEXTFILE_TABLE=texts",
		},
		variables: map[string]cty.Value{
			"environment": cty.StringVal("test"), "kms_key_arn": cty.StringVal(key), "point_in_time_recovery": cty.StringVal("all"),
			"tags":        cty.MapVal(map[string]cty.Value{"team": cty.StringVal("search")}),
			"table_names": cty.MapVal(map[string]cty.Value{"text_analyzer_history": cty.StringVal("texts")}),
		},
	},
}

// TestModuleEqualsSetup checks that the module plans the tables that `assay setup` creates, with the same settings.
func TestModuleEqualsSetup(t *testing.T) {
	for name, v := range variants {
		t.Run(name, func(t *testing.T) { equal(t, "the module", planned(t, v.variables), "setup", created(t, v.environ)) })
	}
}

// TestTablesEqualTheSeeds checks the tables against the models, written by hand.
func TestTablesEqualTheSeeds(t *testing.T) {
	for name, want := range map[string]map[string]string{"default": seeds("dev"), "production": seeds("prod")} {
		t.Run(name, func(t *testing.T) { equal(t, "setup", created(t, variants[name].environ), "the models", want) })
	}
}

func equal(t *testing.T, gotFrom string, got map[string]string, wantFrom string, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("table %s: %s has\n%s\nand %s has\n%s", name, gotFrom, got[name], wantFrom, want[name])
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s has the table %s, and %s has not", gotFrom, name, wantFrom)
		}
	}
}

// created describes the tables that `assay setup` creates, by name.
func created(t *testing.T, environ []string) map[string]string {
	t.Helper()
	cfg, err := config.Load[setup.Config](append([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222"}, environ...))
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := cfg.Schemas()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range schemas {
		all[*s.Create.TableName] = describe(s)
	}
	return all
}

// describe describes a table, one setting per line.
func describe(s table.Schema) string {
	in, kinds := s.Create, map[string]string{}
	for _, a := range in.AttributeDefinitions {
		kinds[*a.AttributeName] = string(a.AttributeType)
	}
	keyOf := func(elements []types.KeySchemaElement) string {
		text := ""
		for _, e := range elements {
			text += " " + *e.AttributeName + ":" + kinds[*e.AttributeName]
		}
		return text
	}
	lines := []string{"key" + keyOf(in.KeySchema), "billing " + string(in.BillingMode) + capacityOf(in.ProvisionedThroughput)}
	for _, index := range in.GlobalSecondaryIndexes {
		lines = append(lines, "index "+*index.IndexName+keyOf(index.KeySchema)+" "+string(index.Projection.ProjectionType)+capacityOf(index.ProvisionedThroughput))
	}
	if in.StreamSpecification != nil {
		lines = append(lines, "stream "+string(in.StreamSpecification.StreamViewType))
	}
	if s.TTL != "" {
		lines = append(lines, "ttl "+s.TTL)
	}
	if s.Recovery {
		lines = append(lines, "recovery")
	}
	if in.SSESpecification != nil {
		lines = append(lines, strings.TrimSpace("encryption "+aws.ToString(in.SSESpecification.KMSMasterKeyId)))
	}
	for _, region := range s.Replicas {
		lines = append(lines, "replica "+region)
	}
	for _, tag := range in.Tags {
		lines = append(lines, "tag "+*tag.Key+"="+*tag.Value)
	}
	return sorted(lines)
}

func capacityOf(p *types.ProvisionedThroughput) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf(" %d/%d", *p.ReadCapacityUnits, *p.WriteCapacityUnits)
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// planned describes the tables that the module plans, by name.
func planned(t *testing.T, variables map[string]cty.Value) map[string]string {
	t.Helper()
	all := map[string]string{}
	found, ctx := blocks(t, variables)
	for _, block := range found {
		if block.Type == "resource" && block.Labels[0] == "aws_dynamodb_table" {
			b := evaluate(t, block, ctx)
			all[b.attributes["name"]] = b.describe()
		}
	}
	return all
}

func (b body) describe() string {
	kinds := map[string]string{}
	for _, a := range b.nested["attribute"] {
		kinds[a.attributes["name"]] = a.attributes["type"]
	}
	keyOf := func(of body) string {
		text := " " + of.attributes["hash_key"] + ":" + kinds[of.attributes["hash_key"]]
		if name := of.attributes["range_key"]; name != "" {
			text += " " + name + ":" + kinds[name]
		}
		return text
	}
	capacity := func(of body) string {
		if of.attributes["read_capacity"] == "" {
			return ""
		}
		return " " + of.attributes["read_capacity"] + "/" + of.attributes["write_capacity"]
	}
	lines := []string{"key" + keyOf(b), "billing " + b.attributes["billing_mode"] + capacity(b)}
	for _, index := range b.nested["global_secondary_index"] {
		lines = append(lines, "index "+index.attributes["name"]+keyOf(index)+" "+index.attributes["projection_type"]+capacity(index))
	}
	if b.attributes["stream_enabled"] == "true" {
		lines = append(lines, "stream "+b.attributes["stream_view_type"])
	}
	for _, ttl := range b.nested["ttl"] {
		lines = append(lines, "ttl "+ttl.attributes["attribute_name"])
	}
	for _, recovery := range b.nested["point_in_time_recovery"] {
		if recovery.attributes["enabled"] == "true" {
			lines = append(lines, "recovery")
		}
	}
	for _, encryption := range b.nested["server_side_encryption"] {
		lines = append(lines, strings.TrimSpace("encryption "+encryption.attributes["kms_key_arn"]))
	}
	for _, replica := range b.nested["replica"] {
		lines = append(lines, "replica "+replica.attributes["region_name"])
	}
	for _, key := range slices.Sorted(maps.Keys(b.tags)) {
		lines = append(lines, "tag "+key+"="+b.tags[key])
	}
	return sorted(lines)
}
