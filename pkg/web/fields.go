package web

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
)

// configureFields makes huma compare field names exactly, and describe lists as never null. huma's settings are
// package variables, which are set once, before the first operation.
var configureFields = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	plainMessages()
})

// nameFields adds the valid field names to the errors of unknown fields in an object of the body.
func nameFields(errors []FieldError, schemas huma.Registry, body *huma.Schema) {
	for i, wrong := range errors {
		path, inBody := strings.CutPrefix(wrong.Field, "body.")
		if !inBody || wrong.Message != validation.MsgUnexpectedProperty {
			continue
		}
		errors[i].Message = notAField(fieldsAt(schemas, body, path))
	}
}

// notAField returns the message for an unknown field of an object.
func notAField(known []string) string {
	if len(known) == 0 {
		return "is not a field of this object"
	}
	return "is not a field of this object, which has " + strings.Join(known, ", ")
}

// fieldsAt returns the field names of the object that contains the last part of a path: of options for
// options.sise, of an item for items[3].sise.
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
