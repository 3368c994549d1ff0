package config

import (
	"reflect"
	"strings"
)

// Variable describes one environment variable, as the tags of its field give it.
type Variable struct {
	Name     string       // the variable, such as ASSAY_NATS_URL
	Type     reflect.Type // of the field
	Default  string       // used when the variable is not set; "" for none
	Required bool         // starting without it is refused
	Secret   bool         // the value must not be printed or logged
	Doc      string       // what to give, as a phrase without a full stop
}

// Variables lists the variables that Load[T] reads, in the order of the fields.
func Variables[T any]() []Variable {
	return variables(reflect.TypeFor[T](), "")
}

func variables(t reflect.Type, prefix string) []Variable {
	var list []Variable
	for i := range t.NumField() {
		field := t.Field(i)
		if !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("env"), ",")
		if name == "" {
			if field.Type.Kind() == reflect.Struct {
				list = append(list, variables(field.Type, prefix+field.Tag.Get("envPrefix"))...)
			}
			continue
		}
		if name == "-" {
			continue
		}
		list = append(list, Variable{
			Name:     prefix + name,
			Type:     field.Type,
			Default:  field.Tag.Get("envDefault"),
			Required: strings.Contains(options, "required") || strings.Contains(options, "notEmpty"),
			Secret:   field.Tag.Get("secret") == "true",
			Doc:      field.Tag.Get("doc"),
		})
	}
	return list
}
