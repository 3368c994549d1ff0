package terraform

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hclparse"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// module is the folder of the Terraform module.
const module = "../../../../deploy/terraform"

// blocks returns the blocks of all files of the module, with the context in which Terraform evaluates them: the variables have
// their defaults, or the given values.
func blocks(t *testing.T, given map[string]cty.Value) ([]*hclsyntax.Block, *hcl.EvalContext) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(module, "*.tf"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("got %d files of the module, error %v", len(paths), err)
	}
	parser := hclparse.NewParser()
	var all []*hclsyntax.Block
	for _, path := range paths {
		file, problems := parser.ParseHCLFile(path)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		all = append(all, file.Body.(*hclsyntax.Body).Blocks...)
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: map[string]function.Function{
		"lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc,
	}}
	variables := map[string]cty.Value{}
	for _, b := range all {
		if b.Type != "variable" {
			continue
		}
		value, set := given[b.Labels[0]]
		if def := b.Body.Attributes["default"]; !set && def != nil {
			value = eval(t, def.Expr, nil)
		} else if !set {
			value = cty.NullVal(cty.DynamicPseudoType)
		}
		variables[b.Labels[0]] = value
	}
	ctx.Variables["var"] = cty.ObjectVal(variables)
	locals := map[string]cty.Value{}
	for _, b := range all {
		if local := b.Body.Attributes["provisioned"]; b.Type == "locals" && local != nil {
			locals["provisioned"] = eval(t, local.Expr, ctx)
		}
	}
	ctx.Variables["local"] = cty.ObjectVal(locals)
	return all, ctx
}

func eval(t *testing.T, expression hcl.Expression, ctx *hcl.EvalContext) cty.Value {
	t.Helper()
	value, problems := expression.Value(ctx)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return value
}

// body is an evaluated block: attributes as text, and nested blocks by type.
type body struct {
	attributes map[string]string
	tags       map[string]string
	nested     map[string][]body
}

// nestedBlocks are the blocks of tables that the test reads, with their attributes.
var nestedBlocks = map[string][]string{
	"attribute":              {"name", "type"},
	"global_secondary_index": {"name", "hash_key", "range_key", "projection_type", "non_key_attributes", "read_capacity", "write_capacity"},
	"ttl":                    {"attribute_name", "enabled"},
	"point_in_time_recovery": {"enabled"},
	"server_side_encryption": {"enabled", "kms_key_arn"},
	"replica":                {"region_name", "kms_key_arn"},
	"lifecycle":              {"ignore_changes"},
}

// tableAttributes are the attributes of a table.
var tableAttributes = []string{
	"name", "billing_mode", "read_capacity", "write_capacity", "hash_key", "range_key", "stream_enabled", "stream_view_type", "tags", "deletion_protection_enabled",
}

// evaluate evaluates the resource of a table with its dynamic blocks. An attribute or a block that the test does not read is an
// error.
func evaluate(t *testing.T, block *hclsyntax.Block, ctx *hcl.EvalContext) body {
	t.Helper()
	schema := &hcl.BodySchema{}
	for _, name := range tableAttributes {
		schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: name})
	}
	for kind := range nestedBlocks {
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: kind})
	}
	content, problems := dynblock.Expand(block.Body, ctx).Content(schema)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	b := body{attributes: map[string]string{}, tags: map[string]string{}, nested: map[string][]body{}}
	for name, attribute := range content.Attributes {
		value := eval(t, attribute.Expr, ctx)
		if name == "tags" {
			for key, tag := range value.AsValueMap() {
				b.tags[key] = tag.AsString()
			}
			continue
		}
		b.set(name, value)
	}
	for _, nested := range content.Blocks {
		if nested.Type == "lifecycle" {
			continue // has references to attributes, not values
		}
		inner := &hcl.BodySchema{}
		for _, name := range nestedBlocks[nested.Type] {
			inner.Attributes = append(inner.Attributes, hcl.AttributeSchema{Name: name})
		}
		of, problems := nested.Body.Content(inner)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		one := body{attributes: map[string]string{}}
		for name, attribute := range of.Attributes {
			one.set(name, eval(t, attribute.Expr, ctx))
		}
		b.nested[nested.Type] = append(b.nested[nested.Type], one)
	}
	return b
}

// set sets an attribute, unless its value is null, which Terraform treats as absent.
func (b body) set(name string, value cty.Value) {
	if value.IsNull() {
		return
	}
	switch value.Type() {
	case cty.String:
		b.attributes[name] = value.AsString()
	case cty.Bool:
		b.attributes[name] = fmt.Sprint(value.True())
	case cty.Number:
		b.attributes[name] = value.AsBigFloat().Text('f', -1)
	default:
		b.attributes[name] = value.GoString()
	}
}
