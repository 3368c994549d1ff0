// Package terraform generates the tables of deploy/terraform from the descriptions of the areas.
package terraform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/assay-project/assay/pkg/config"
	"github.com/assay-project/assay/pkg/table"
	"github.com/assay-project/assay/services/assay/setup"
)

// environment stands for the environment in names of tables; a reference to the variable replaces it.
const environment = "ENVIRONMENT"

// schemasIn returns the declared schemas in an environment, without the settings of users.
func schemasIn(env string) ([]table.Schema, error) {
	cfg, err := config.Load[setup.Config]([]string{"ASSAY_NATS_URL=nats://127.0.0.1:4222", "ASSAY_ENV=" + env})
	if err != nil {
		return nil, err
	}
	var all []table.Schema
	for _, storage := range cfg.Storage(cfg.Areas()) {
		all = append(all, storage.Tables...)
	}
	return all, nil
}

// Tables returns the content of tables.tf.
func Tables() ([]byte, error) {
	schemas, err := schemasIn(environment)
	if err != nil {
		return nil, err
	}
	production, err := schemasIn("prod")
	if err != nil {
		return nil, err
	}
	w := &writer{}
	w.line("# Generated from the descriptions of the areas. After a change: go test ./services/assay/test/terraform -update")
	for i, s := range schemas {
		w.line("")
		w.table(s, production[i])
	}
	return hclwrite.Format([]byte(w.text.String())), nil
}

// writer writes HCL, which hclwrite then formats like `terraform fmt`.
type writer struct {
	text  strings.Builder
	depth int
}

func (w *writer) line(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	if text != "" {
		text = strings.Repeat("  ", w.depth) + text
	}
	w.text.WriteString(text + "\n")
}

// block writes a block.
func (w *writer) block(header string, body func()) {
	w.line("%s {", header)
	w.depth++
	body()
	w.depth--
	w.line("}")
}

// attributes writes consecutive attributes with aligned equals signs. Each is a name and an expression.
func (w *writer) attributes(all ...[2]string) {
	width := 0
	for _, a := range all {
		width = max(width, len(a[0]))
	}
	for _, a := range all {
		w.line("%-*s = %s", width, a[0], a[1])
	}
}

// resource returns the name of the resource of a table: its default name without the environment, such as photoeditor_jobs.
func resource(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "-"+environment, ""), "-", "_")
}

// quoted returns a string in HCL, with the environment as a variable.
func quoted(text string) string {
	return `"` + strings.ReplaceAll(text, environment, "${var.environment}") + `"`
}

// table writes the resource of a table. production is its schema in the environment prod.
func (w *writer) table(s, production table.Schema) {
	create := s.Create
	id := resource(*create.TableName)
	scaled := production.Scaling != nil
	w.block(`resource "aws_dynamodb_table" "`+id+`"`, func() {
		head := [][2]string{{"name", fmt.Sprintf(`lookup(var.table_names, "%s", %s)`, id, quoted(*create.TableName))}}
		if scaled {
			head = append(head, [2]string{"billing_mode", `local.provisioned ? "PROVISIONED" : "PAY_PER_REQUEST"`})
			head = append(head, capacity(production.Create.ProvisionedThroughput)...)
		} else {
			head = append(head, [2]string{"billing_mode", quoted(string(create.BillingMode))})
		}
		w.attributes(append(head, keys(create.KeySchema)...)...)
		if stream := create.StreamSpecification; stream != nil {
			w.line("")
			w.attributes([2]string{"stream_enabled", "true"}, [2]string{"stream_view_type", quoted(string(stream.StreamViewType))})
		}
		for _, a := range create.AttributeDefinitions {
			w.line("")
			w.block("attribute", func() {
				w.attributes([2]string{"name", quoted(*a.AttributeName)}, [2]string{"type", quoted(string(a.AttributeType))})
			})
		}
		for i, index := range create.GlobalSecondaryIndexes {
			w.line("")
			w.index(index, production.Create.GlobalSecondaryIndexes[i].ProvisionedThroughput)
		}
		w.settings(s)
		w.tags(create.Tags)
		w.line("")
		w.line("deletion_protection_enabled = var.deletion_protection")
		if scaled {
			w.line("")
			w.block("lifecycle", func() { w.line("ignore_changes = [read_capacity, write_capacity, global_secondary_index]") })
		}
	})
	if scaled {
		w.scaling(id, production)
	}
}

// capacity returns the attributes of provisioned capacity, which is used in production only.
func capacity(p *types.ProvisionedThroughput) [][2]string {
	if p == nil {
		return nil
	}
	return [][2]string{
		{"read_capacity", fmt.Sprintf("local.provisioned ? %d : null", *p.ReadCapacityUnits)},
		{"write_capacity", fmt.Sprintf("local.provisioned ? %d : null", *p.WriteCapacityUnits)},
	}
}

func keys(elements []types.KeySchemaElement) [][2]string {
	all := [][2]string{{"hash_key", quoted(*elements[0].AttributeName)}}
	if len(elements) > 1 {
		all = append(all, [2]string{"range_key", quoted(*elements[1].AttributeName)})
	}
	return all
}

func (w *writer) index(index types.GlobalSecondaryIndex, provisioned *types.ProvisionedThroughput) {
	w.block("global_secondary_index", func() {
		all := append([][2]string{{"name", quoted(*index.IndexName)}}, keys(index.KeySchema)...)
		all = append(all, [2]string{"projection_type", quoted(string(index.Projection.ProjectionType))})
		if names := index.Projection.NonKeyAttributes; len(names) > 0 {
			all = append(all, [2]string{"non_key_attributes", fmt.Sprintf(`["%s"]`, strings.Join(names, `", "`))})
		}
		w.attributes(append(all, capacity(provisioned)...)...)
	})
}

// settings writes the blocks of the settings with calls of their own, and of the encryption.
func (w *writer) settings(s table.Schema) {
	if s.TTL != "" {
		w.line("")
		w.block("ttl", func() { w.attributes([2]string{"attribute_name", quoted(s.TTL)}, [2]string{"enabled", "true"}) })
	}
	w.line("")
	w.block("point_in_time_recovery", func() {
		w.line(`enabled = var.point_in_time_recovery == "default" ? %v : var.point_in_time_recovery == "all"`, s.Recovery)
	})
	w.line("")
	if s.Create.SSESpecification != nil {
		w.block("server_side_encryption", func() {
			w.attributes([2]string{"enabled", "true"}, [2]string{"kms_key_arn", "var.kms_key_arn"})
		})
	} else {
		w.block(`dynamic "server_side_encryption"`, func() {
			w.line("for_each = var.kms_key_arn == null ? [] : [var.kms_key_arn]")
			w.block("content", func() {
				w.attributes([2]string{"enabled", "true"}, [2]string{"kms_key_arn", "server_side_encryption.value"})
			})
		})
	}
	if len(s.Regions) > 0 {
		w.line("")
		w.line("# In the data model: %s.", strings.Join(s.Regions, ", "))
		w.block(`dynamic "replica"`, func() {
			w.line("for_each = var.replicas")
			w.block("content", func() {
				w.attributes([2]string{"region_name", "replica.key"}, [2]string{"kms_key_arn", "replica.value"})
			})
		})
	}
}

func (w *writer) tags(declared []types.Tag) {
	values := map[string]string{"Environment": "var.environment"}
	for _, tag := range declared {
		values[*tag.Key] = quoted(*tag.Value)
	}
	var all [][2]string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		all = append(all, [2]string{key, values[key]})
	}
	w.line("")
	w.line("tags = merge({")
	w.depth++
	w.attributes(all...)
	w.depth--
	w.line("}, var.tags)")
}

// scaling writes the targets and policies that scale the capacity of a table and its indexes.
func (w *writer) scaling(id string, s table.Schema) {
	name := "aws_dynamodb_table." + id + ".name"
	w.line("")
	w.block("locals", func() {
		w.line("scaling_%s = local.provisioned ? {", id)
		w.depth++
		entry := func(key, resource, kind, direction string, c table.Capacity) {
			w.line(`"%s" = { resource = %s, dimension = "dynamodb:%s:%sCapacityUnits", metric = "DynamoDB%sCapacityUtilization", min = %d, max = %d }`,
				key, resource, kind, direction, direction, c.Min, c.Max)
		}
		entry("table-read", `"table/${`+name+`}"`, "table", "Read", s.Scaling.Read)
		entry("table-write", `"table/${`+name+`}"`, "table", "Write", s.Scaling.Write)
		for _, index := range s.Create.GlobalSecondaryIndexes {
			of := `"table/${` + name + `}/index/` + *index.IndexName + `"`
			entry(*index.IndexName+"-read", of, "index", "Read", s.Scaling.Read)
			entry(*index.IndexName+"-write", of, "index", "Write", s.Scaling.Write)
		}
		w.depth--
		w.line("} : {}")
	})
	w.line("")
	w.block(`resource "aws_appautoscaling_target" "`+id+`"`, func() {
		w.attributes([2]string{"for_each", "local.scaling_" + id}, [2]string{"service_namespace", `"dynamodb"`}, [2]string{"resource_id", "each.value.resource"},
			[2]string{"scalable_dimension", "each.value.dimension"}, [2]string{"min_capacity", "each.value.min"}, [2]string{"max_capacity", "each.value.max"})
	})
	w.line("")
	w.block(`resource "aws_appautoscaling_policy" "`+id+`"`, func() {
		target := "aws_appautoscaling_target." + id + "[each.key]"
		w.attributes([2]string{"for_each", "local.scaling_" + id}, [2]string{"name", "each.value.metric"}, [2]string{"policy_type", `"TargetTrackingScaling"`},
			[2]string{"service_namespace", target + ".service_namespace"}, [2]string{"resource_id", target + ".resource_id"},
			[2]string{"scalable_dimension", target + ".scalable_dimension"})
		w.line("")
		w.block("target_tracking_scaling_policy_configuration", func() {
			w.line("target_value = %g", s.Scaling.Target)
			w.line("")
			w.block("predefined_metric_specification", func() { w.line("predefined_metric_type = each.value.metric") })
		})
	})
}
