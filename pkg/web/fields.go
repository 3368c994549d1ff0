package web

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// configureFields makes huma compare the names of fields exactly, and describe lists as never null. Its
// settings are variables of its package, which are set once, before the first operation.
var configureFields = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

// nameFields completes the errors of fields that an object of the body does not have by the names of those
// that it has.
func nameFields(errors []FieldError, schemas huma.Registry, body *huma.Schema) {
	for i, wrong := range errors {
		path, inBody := strings.CutPrefix(wrong.Field, "body.")
		if !inBody || wrong.Message != validation.MsgUnexpectedProperty {
			continue
		}
		errors[i].Message = notAField(fieldsAt(schemas, body, path))
	}
}

// notAField returns the message about a name that is not one of an object's fields.
func notAField(known []string) string {
	if len(known) == 0 {
		return "is not a field of this object"
	}
	return "is not a field of this object, which has " + strings.Join(known, ", ")
}

// fieldsAt returns the names of the fields of the object that has the last part of a path, such as options
// of options.sise, or items[3].sise of a list.
func fieldsAt(schemas huma.Registry, at *huma.Schema, path string) []string {
	for parent, rest, more := strings.Cut(path, "."); ; parent, rest, more = strings.Cut(rest, ".") {
		for at != nil && at.Ref != "" {
			at = schemas.SchemaFromRef(at.Ref)
		}
		if at == nil {
			return nil
		}
		if !more {
			return slices.Sorted(maps.Keys(at.Properties))
		}
		name, _, list := strings.Cut(parent, "[")
		if at = at.Properties[name]; at != nil && list {
			at = at.Items
		}
	}
}
