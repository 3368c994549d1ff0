package config

import (
	"cmp"
	"reflect"
	"strings"
)

// Variable describes one environment variable, as declared by the tags of its field.
type Variable struct {
	Name     string       // the variable, such as ASSAY_NATS_URL
	Type     reflect.Type // type of the field
	Default  string       // used when the variable is not set; "" for none
	Required bool         // the program does not start without it
	Secret   bool         // the value must not be printed or logged
	Doc      string       // description of the setting, as a phrase without a final period
	Use      string       // Must, Often or Rarely
	Part     string       // the name of the field of T that is or contains it, such as "Feed"
}

// How likely a user is to set a variable.
const (
	Must   = "must"
	Often  = "often"
	Rarely = "rarely"
)

// Variables lists the variables that Load[T] reads, in the order of the fields.
func Variables[T any]() []Variable {
	return variables(reflect.TypeFor[T](), "", "")
}

// variables lists the variables of a struct, with prefix prepended to their names. If part is
// empty, each field of the struct is its own part; the fields of an embedded struct count as fields of the struct.
func variables(t reflect.Type, prefix, part string) []Variable {
	var list []Variable
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		within := cmp.Or(part, field.Name)
		if field.Anonymous {
			within = part
		}
		name, options, _ := strings.Cut(field.Tag.Get("env"), ",")
		if name == "" {
			if field.Type.Kind() == reflect.Struct {
				list = append(list, variables(field.Type, prefix+field.Tag.Get("envPrefix"), within)...)
			}
			continue
		}
		if name == "-" {
			continue
		}
		required := strings.Contains(options, "required") || strings.Contains(options, "notEmpty")
		use := cmp.Or(field.Tag.Get("use"), Rarely)
		if required {
			use = Must
		}
		list = append(list, Variable{
			Name:     prefix + name,
			Type:     field.Type,
			Default:  field.Tag.Get("envDefault"),
			Required: required,
			Secret:   field.Tag.Get("secret") == "true",
			Doc:      field.Tag.Get("doc"),
			Use:      use,
			Part:     within,
		})
	}
	return list
}
